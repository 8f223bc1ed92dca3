#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "init/applet.h"
#include "init/console.h"
#include "init/guest_files.h"
#include "init/http_get.h"
#include "init/script.h"

namespace fireweed {
namespace {

using Action = AppletRequest::Action;
using ::testing::ElementsAre;

TEST(Applet, UnderstandsWhatPeopleType) {
  struct Case {
    const char* name;
    std::vector<std::string_view> arguments;
    Action action;
    int minutes;
  };
  for (const Case& c : std::vector<Case>{
           {"shutdown", {"-h", "now"}, Action::kOff, 0},
           {"shutdown", {"now"}, Action::kOff, 0},
           {"shutdown", {"-P", "now"}, Action::kOff, 0},
           {"shutdown", {"-hP", "+0"}, Action::kOff, 0},
           {"shutdown", {"-r", "now"}, Action::kReboot, 0},
           {"shutdown", {"now", "-r"}, Action::kReboot, 0},
           {"shutdown", {"--reboot", "now", "back", "soon"}, Action::kReboot, 0},
           {"shutdown", {}, Action::kOff, 1},
           {"shutdown", {"-h", "+5", "see you"}, Action::kOff, 5},
           {"shutdown", {"-h", "10"}, Action::kOff, 10},
           {"shutdown", {"-c"}, Action::kCancel, 1},
           {"shutdown", {"--no-wall", "--poweroff", "now"}, Action::kOff, 0},
           {"poweroff", {}, Action::kOff, 0},
           {"poweroff", {"-f"}, Action::kOff, 0},
           {"halt", {"-p"}, Action::kOff, 0},
           {"reboot", {}, Action::kReboot, 0},
           {"reboot", {"--force"}, Action::kReboot, 0},
       }) {
    AppletRequest request = ParseApplet(c.name, c.arguments);
    std::string shown = c.name;
    for (std::string_view argument : c.arguments) shown.append(" ").append(argument);
    EXPECT_EQ(request.action, c.action) << shown;
    EXPECT_EQ(request.delay_minutes, c.minutes) << shown;
  }
  EXPECT_TRUE(ParseApplet("reboot", {"-f"}).force);
  EXPECT_FALSE(ParseApplet("shutdown", {"-f", "now"}).force);  // there: skip the check of disks
}

TEST(Applet, RefusesWhatItDoesNot) {
  EXPECT_EQ(ParseApplet("shutdown", {"-z"}).action, Action::kWrong);
  EXPECT_EQ(ParseApplet("shutdown", {"--sideways"}).action, Action::kWrong);
  EXPECT_EQ(ParseApplet("shutdown", {"tomorrow"}).action, Action::kWrong);
  EXPECT_EQ(ParseApplet("shutdown", {"+99999"}).action, Action::kWrong);
  EXPECT_EQ(ParseApplet("shutdown", {"--help"}).action, Action::kShowUsage);
}

TEST(Sudo, IsWhoeverRunsIt) {
  using Words = std::vector<std::string_view>;
  for (const auto& [given, left] : std::vector<std::pair<Words, Words>>{
           {{"shutdown", "-h", "now"}, {"shutdown", "-h", "now"}},
           {{"-n", "-E", "id"}, {"id"}},
           {{"-u", "ann", "-H", "id", "-u"}, {"id", "-u"}},
           {{"A=b", "C=/d", "env"}, {"env"}},
           {{"--", "-x"}, {"-x"}},
           {{"./a=b"}, {"./a=b"}},
           {{"-l"}, {}},
           {{"-u"}, {}},
           {{}, {}},
       }) {
    EXPECT_EQ(SudoCommand(given), left);
  }
}

TEST(HttpReply, ReadsLengthChunksAndClose) {
  auto body = [](std::string_view bytes) { return ParseHttpReply(bytes)->body; };
  EXPECT_EQ(body("HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabcd"), "abc");
  EXPECT_EQ(body("HTTP/1.1 200 OK\r\n\r\nuntil close"), "until close");
  EXPECT_EQ(body("HTTP/1.1 200 OK\r\nTransfer-Encoding: "
                 "chunked\r\n\r\n3;x=y\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"),
            "abcde");
  EXPECT_EQ(body("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"),
            "x");
  EXPECT_EQ(ParseHttpReply("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")->status, 404);
}

TEST(HttpReply, RefusesWhatIsCutShortOrWrong) {
  for (const char* bytes : {
           "",
           "HTTP/1.1 200 OK\r\n",
           "junk\r\n\r\n",
           "HTTP/1.1 2x0 OK\r\n\r\n",
           "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort",
           "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
           "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
           "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc",
           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
       }) {
    EXPECT_FALSE(ParseHttpReply(bytes)) << bytes;
  }
}

TEST(HttpServer, IsAnAddress) {
  EXPECT_EQ(ParseHttpServer("10.0.0.1:8080")->port, 8080);
  EXPECT_EQ(ParseHttpServer("10.0.0.1")->port, 80);
  for (const char* text : {"none", "", "host:80", "10.0.0.1:0", "10.0.0.1:70000", "10.0.0.1:x"}) {
    EXPECT_FALSE(ParseHttpServer(text)) << text;
  }
}

TEST(Script, FirstLineChoosesTheInterpreter) {
  EXPECT_THAT(ScriptCommand("#!/usr/bin/python3\n", "/s", "/bin/bash"), ElementsAre("/s"));
  EXPECT_THAT(ScriptCommand("# comment\necho", "/s", "/bin/bash"), ElementsAre("/bin/bash", "/s"));
  EXPECT_THAT(ScriptCommand(" #!/bin/sh\n", "/s", "/bin/bash"), ElementsAre("/bin/bash", "/s"));
  EXPECT_THAT(ScriptCommand("", "/s", "/bin/sh"), ElementsAre("/bin/sh", "/s"));
}

TEST(Script, UrlsOfTheStoreGoWithTheToken) {
  ScriptSource source = ParseScriptUrl("gs://pets/setup/go now.sh\n");
  EXPECT_EQ(source.url, "https://storage.googleapis.com/pets/setup/go%20now.sh");
  EXPECT_TRUE(source.with_token);
  EXPECT_TRUE(ParseScriptUrl("https://storage.googleapis.com/pets/a.sh").with_token);
  EXPECT_FALSE(ParseScriptUrl("https://example.com/a.sh").with_token);
  EXPECT_FALSE(ParseScriptUrl("https://storage.googleapis.com.example.com/a.sh").with_token);
  EXPECT_EQ(ParseScriptUrl("gs://pets").url, "");
  EXPECT_EQ(ParseScriptUrl("gs://pets/").url, "");
  EXPECT_EQ(ParseScriptUrl("file:///etc/shadow").url, "");
}

TEST(Script, FindsTheToken) {
  EXPECT_EQ(TokenOf(R"({"access_token":"ya29.x","expires_in":3599})"), "ya29.x");
  EXPECT_EQ(TokenOf(R"({"expires_in":1, "access_token" : "t"})"), "t");
  EXPECT_EQ(TokenOf("{}"), "");
  EXPECT_EQ(TokenOf(R"({"access_token)"), "");
}

TEST(Console, LinesLookLikeTheGuestProgramsOfTheCloud) {
  EXPECT_EQ(FormatConsoleLine("Nov 15 07:00:00", "t1", "google_metadata_script_runner", 12,
                              "startup-script exit status 0"),
            "Nov 15 07:00:00 t1 google_metadata_script_runner[12]: startup-script exit status 0\n");
}

TEST(Console, CutsLines) {
  LineCutter cutter;
  EXPECT_THAT(cutter.Add("one\ntw"), ElementsAre("one"));
  EXPECT_THAT(cutter.Add("o\r\n\n"), ElementsAre("two", ""));
  EXPECT_THAT(cutter.Finish(), ElementsAre());
  EXPECT_THAT(cutter.Add(std::string(LineCutter::kLongest + 1, 'x')),
              ElementsAre(std::string(LineCutter::kLongest, 'x')));
  EXPECT_THAT(cutter.Finish(), ElementsAre("x"));
}

TEST(Hosts, NamesTheMachineOnce) {
  EXPECT_EQ(HostsWith("", "t1"), "127.0.1.1 t1\n");
  EXPECT_EQ(HostsWith("127.0.0.1 localhost", "t1"), "127.0.0.1 localhost\n127.0.1.1 t1\n");
  for (const char* hosts :
       {"10.0.0.2 t1\n", "10.0.0.2\tt1.c.p.internal t1\n", "10.0.0.2 t1 # me"}) {
    EXPECT_EQ(HostsWith(hosts, "t1"), hosts);
  }
  EXPECT_EQ(HostsWith("10.0.0.2 t10\n# t1\n", "t1"), "10.0.0.2 t10\n# t1\n127.0.1.1 t1\n");
}

}  // namespace
}  // namespace fireweed
