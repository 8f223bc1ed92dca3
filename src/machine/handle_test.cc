#include "machine/handle.h"

#include <gtest/gtest.h>

namespace fireweed {
namespace {

TEST(Handle, RoundTrips) {
  MachineHandle handle = EncodeHandle("crun", {"i-4711", 3});
  EXPECT_EQ(handle.text, R"({"version":1,"driver":"crun","id":"i-4711","boot":3})");
  MachineKey key = DecodeHandle("crun", handle).value();
  EXPECT_EQ(key.id, "i-4711");
  EXPECT_EQ(key.boot, 3);
}

TEST(Handle, RefusesWhatItDidNotWrite) {
  for (const char* text : {
           "",
           "{}",
           R"({"version":2,"driver":"crun","id":"a","boot":1})",
           R"({"version":1,"driver":"fake","id":"a","boot":1})",
           R"({"version":1,"driver":"crun","id":"../a","boot":1})",
           R"({"version":1,"driver":"crun","id":"","boot":1})",
           R"({"version":1,"driver":"crun","id":"a","boot":x})",
           R"({"version":1,"driver":"crun","id":"a","boot":1)",
           R"({"version":1,"driver":"crun","id":"a","boot":1}})",
           R"({"version":1,"driver":"crun","id":"a)",
       }) {
    Result<MachineKey> key = DecodeHandle("crun", {text});
    ASSERT_FALSE(key.ok()) << text;
    EXPECT_EQ(key.error().code, Code::kInvalid) << text;
  }
}

TEST(CheckSpec, NamesWhatIsWrong) {
  MachineSpec good{.id = "a-1", .image_layers = {"/images/base"}, .files = {{.path = "/etc/motd"}}};
  EXPECT_TRUE(CheckSpec(good).ok());
  auto refuses = [&](auto change) {
    MachineSpec spec = good;
    change(spec);
    return !CheckSpec(spec).ok();
  };
  EXPECT_TRUE(refuses([](MachineSpec& s) { s.id = ""; }));
  EXPECT_TRUE(refuses([](MachineSpec& s) { s.id = "A"; }));
  EXPECT_TRUE(refuses([](MachineSpec& s) { s.id = "a/b"; }));
  EXPECT_TRUE(refuses([](MachineSpec& s) { s.id = std::string(49, 'a'); }));
  EXPECT_TRUE(refuses([](MachineSpec& s) { s.boot = 0; }));
  EXPECT_TRUE(refuses([](MachineSpec& s) { s.image_layers = {"images"}; }));
  EXPECT_TRUE(refuses([](MachineSpec& s) { s.image_layers = {"/a:/b"}; }));
  EXPECT_TRUE(refuses([](MachineSpec& s) { s.files = {{.path = "/etc/../../x"}}; }));
  EXPECT_TRUE(refuses([](MachineSpec& s) { s.files = {{.path = "/etc/.."}}; }));
  EXPECT_TRUE(refuses([](MachineSpec& s) { s.binds = {{"/usr", "usr"}}; }));
}

}  // namespace
}  // namespace fireweed
