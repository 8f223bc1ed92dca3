#include "compute/dns_message.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "compute/name_rules.h"

namespace fireweed::compute {
namespace {

std::string Question(std::string_view name, uint16_t type = kDnsTypeA, uint16_t id = 0x1234) {
  std::string packet;
  auto add16 = [&](unsigned v) { packet += {static_cast<char>(v >> 8), static_cast<char>(v)}; };
  add16(id), add16(0x0100), add16(1), add16(0), add16(0), add16(0);
  while (!name.empty()) {
    size_t dot = name.find('.');
    std::string_view label = name.substr(0, dot);
    packet += static_cast<char>(label.size());
    packet += label;
    name = dot == std::string_view::npos ? std::string_view() : name.substr(dot + 1);
  }
  packet += '\0';
  add16(type), add16(kDnsClassInternet);
  return packet;
}

TEST(DnsMessageTest, ReadsAQuestionAndWritesAnAnswer) {
  std::string packet = Question("Storage.GoogleAPIs.com");
  std::optional<DnsQuery> query = ParseDnsQuery(packet);
  ASSERT_TRUE(query);
  EXPECT_EQ(query->name, "storage.googleapis.com");
  EXPECT_EQ(query->type, kDnsTypeA);
  EXPECT_EQ(query->question_end, packet.size());
  std::string reply = MakeDnsReply(packet, *query, DnsCode::kNoError, {{10, 1, 2, 3}}, 5);
  EXPECT_EQ(reply.size(), packet.size() + 16);
  EXPECT_EQ(DnsId(reply), 0x1234);
  EXPECT_EQ(static_cast<uint8_t>(reply[2]) & 0x80, 0x80);
  EXPECT_EQ(reply[7], 1) << "one answer";
  EXPECT_EQ(reply.substr(reply.size() - 4), std::string("\x0a\x01\x02\x03"));
  EXPECT_TRUE(IsDnsReplyTo(reply, packet, *query));
  EXPECT_FALSE(IsDnsReplyTo(packet, packet, *query)) << "a question is no reply";
  SetDnsId(reply, 7);
  EXPECT_FALSE(IsDnsReplyTo(reply, packet, *query));
  EXPECT_FALSE(ParseDnsQuery(reply)) << "nor a reply a question";
  EXPECT_FALSE(MakeDnsRefusal(reply, DnsCode::kFormatError)) << "or two servers talk for ever";
}

TEST(DnsMessageTest, RefusesBrokenPackets) {
  std::string good = Question("a.example");
  for (size_t cut = 0; cut < good.size(); ++cut) {
    EXPECT_FALSE(ParseDnsQuery(good.substr(0, cut))) << cut;
  }
  std::string pointer = good;
  pointer[12] = '\xc0';
  EXPECT_FALSE(ParseDnsQuery(pointer));
  std::string two = good;
  two[5] = 2;
  EXPECT_FALSE(ParseDnsQuery(two));
  std::string dotted = good;
  dotted[13] = '.';
  EXPECT_FALSE(ParseDnsQuery(dotted));
  std::string label(63, 'x');
  EXPECT_TRUE(ParseDnsQuery(Question(label + "." + label + "." + label)));
  EXPECT_FALSE(ParseDnsQuery(Question(label + "." + label + "." + label + "." + label)));
  EXPECT_EQ(MakeDnsRefusal(good.substr(0, 14), DnsCode::kFormatError)->size(), 12u);
}

// Random bytes and mutated questions: whatever parses can be answered within a packet.
TEST(DnsMessageTest, SurvivesAnything) {
  SeededRandom random(7);
  for (int i = 0; i < 20'000; ++i) {
    std::string packet = i % 2 ? Question("a.b.example") : std::string(random.Below(64), '\0');
    for (int j = 0; j < 3 && !packet.empty(); ++j) {
      packet[random.Below(packet.size())] = static_cast<char>(random.Next64());
    }
    std::optional<DnsQuery> query = ParseDnsQuery(packet);
    if (!query) continue;
    EXPECT_LE(query->question_end, packet.size());
    EXPECT_LE(query->name.size(), 255u);
    std::vector<Ipv4Address> many(100, Ipv4Address{1, 2, 3, 4});
    EXPECT_LE(MakeDnsReply(packet, *query, DnsCode::kNoError, many, 1).size(), 512u);
  }
}

NameVerdict Decide(std::string_view name, uint16_t type = kDnsTypeA) {
  return DecideName(*ParseDnsQuery(Question(name, type)), "proj-1",
                    [](std::string_view host, std::string_view zone) -> std::optional<Ipv4Address> {
                      bool here = host == "vm" && (zone.empty() || zone == "us-east1-b");
                      return here ? std::optional(Ipv4Address{10, 0, 0, 9}) : std::nullopt;
                    });
}

TEST(NameRulesTest, GooglesNamesComeHere) {
  for (const char* name :
       {"storage.googleapis.com", "www.googleapis.com", "us-central1-ml.googleapis.com",
        "my-bucket.storage.googleapis.com", "oauth2.googleapis.com", "accounts.google.com",
        "source.developers.google.com", "metadata.google.internal", "metadata"}) {
    NameVerdict verdict = Decide(name);
    EXPECT_FALSE(verdict.forward) << name;
    ASSERT_EQ(verdict.addresses.size(), 1u) << name;
    EXPECT_EQ(verdict.addresses[0], kInsideAddress) << name;
    EXPECT_TRUE(Decide(name, kDnsTypeAaaa).addresses.empty()) << name;
    EXPECT_EQ(Decide(name, kDnsTypeAaaa).code, DnsCode::kNoError) << name;
  }
}

TEST(NameRulesTest, InstancesOfTheSameProjectAreKnown) {
  for (const char* name : {"vm", "vm.c.proj-1.internal", "vm.us-east1-b.c.proj-1.internal"}) {
    ASSERT_EQ(Decide(name).addresses.size(), 1u) << name;
  }
  for (const char* name : {"other", "vm.us-west1-a.c.proj-1.internal", "vm.c.proj-2.internal",
                           "vm.us-east1-b.c.proj-2.internal", "x.y.us-east1-b.c.proj-1.internal"}) {
    EXPECT_EQ(Decide(name).code, DnsCode::kNoSuchName) << name;
  }
}

TEST(NameRulesTest, TheRestIsForwardedButForIpv6) {
  EXPECT_TRUE(Decide("www.debian.org").forward);
  EXPECT_TRUE(Decide("notgoogleapis.com").forward);
  EXPECT_TRUE(Decide("www.debian.org", 15).forward);
  EXPECT_FALSE(Decide("www.debian.org", kDnsTypeAaaa).forward);
  DnsQuery update = *ParseDnsQuery(Question("a.b"));
  update.opcode = 5;
  EXPECT_EQ(DecideName(update, "p", nullptr).code, DnsCode::kNotImplemented);
}

TEST(NameRulesTest, ReadsResolvConf) {
  EXPECT_EQ(ParseResolvConf("# x\nsearch a b\nnameserver 10.0.0.1\n nameserver\t10.0.0.2 # y\n"
                            "nameserver fe80::1\nnameserverx 1.2.3.4\nnameserver\n"),
            (std::vector<std::string>{"10.0.0.1", "10.0.0.2"}));
}

}  // namespace
}  // namespace fireweed::compute
