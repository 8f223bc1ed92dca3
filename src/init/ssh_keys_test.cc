#include "init/ssh_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "init/accounts.h"
#include "init/git_credential.h"
#include "init/guest_files.h"
#include "init/metadata.h"
#include "init/ssh_door.h"

namespace fireweed {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

// 2026-11-15T07:00:00Z
constexpr int64_t kNow = 1794726000;

TEST(SshKeys, AccountsAreNamedBeforeTheirKeys) {
  KeyMetadata metadata{.instance_keys =
                           "ann:ssh-rsa AAA ann@home\n\n# note\nbob:ssh-ed25519 BBB\r\n"
                           "ann:ssh-rsa CCC\nann:ssh-rsa AAA ann@home\n"};
  EXPECT_THAT(AccountsOf(metadata, kNow),
              ElementsAre(Pair("ann", ElementsAre("ssh-rsa AAA ann@home", "ssh-rsa CCC")),
                          Pair("bob", ElementsAre("ssh-ed25519 BBB"))));
}

TEST(SshKeys, BrokenLinesAreLeftOut) {
  for (const char* line : {"ann", "ann:", "ann:AAA", ":ssh-rsa AAA", "../x:ssh-rsa AAA",
                           "-rf:ssh-rsa AAA", "a b:ssh-rsa AAA",
                           "ann:ssh-rsa A\x01"
                           "A",
                           "a23456789012345678901234567890123:ssh-rsa AAA", "ssh-rsa AAA"}) {
    EXPECT_THAT(AccountsOf({.instance_keys = line}, kNow), IsEmpty()) << line;
  }
}

TEST(SshKeys, WhoseKeysCount) {
  struct Case {
    KeyMetadata metadata;
    std::string names;
  };
  std::string a = "a:ssh-rsa A", b = "b:ssh-rsa B", c = "c:ssh-rsa C", d = "d:ssh-rsa D";
  for (const Case& c : std::vector<Case>{
           {{.instance_keys = a, .project_keys = b, .project_legacy = c}, "abc"},
           {{.instance_keys = a, .project_keys = b, .block_project = "TRUE"}, "a"},
           {{.instance_keys = a, .project_keys = b, .block_project = "false"}, "ab"},
           {{.instance_keys = a, .project_keys = b, .instance_legacy = d}, "ad"},
           {{.project_keys = b}, "b"},
           {{}, ""},
       }) {
    std::string names;
    for (const auto& [name, keys] : AccountsOf(c.metadata, kNow)) names += name;
    EXPECT_EQ(names, c.names);
  }
}

TEST(SshKeys, KeysEnd) {
  auto count = [](const std::string& when) {
    std::string line =
        R"(ann:ssh-rsa AAA google-ssh {"userName":"ann@x","expireOn":")" + when + "\"}";
    return AccountsOf({.instance_keys = line}, kNow).size();
  };
  EXPECT_EQ(count("2026-11-15T07:00:01+0000"), 1u);
  EXPECT_EQ(count("2026-11-15T07:00:00+0000"), 0u);
  EXPECT_EQ(count("2026-11-15T08:59:59+0200"), 0u);
  EXPECT_EQ(count("2026-11-15T09:00:01+0200"), 1u);
  EXPECT_EQ(count("some day"), 0u);
  EXPECT_EQ(count(""), 0u);
}

TEST(SshKeys, OwnLinesOfAuthorizedKeysStay) {
  std::string first = AuthorizedKeysWith("ssh-rsa MINE me\n", {"ssh-rsa A"});
  EXPECT_EQ(first, "ssh-rsa MINE me\n# Added by Google\nssh-rsa A\n");
  EXPECT_EQ(AuthorizedKeysWith(first, {"ssh-rsa B", "ssh-rsa C"}),
            "ssh-rsa MINE me\n# Added by Google\nssh-rsa B\n# Added by Google\nssh-rsa C\n");
  EXPECT_EQ(AuthorizedKeysWith(first, {}), "ssh-rsa MINE me\n");
  EXPECT_EQ(AuthorizedKeysWith("no end", {}), "no end\n");
}

TEST(Accounts, ReadPasswdAndGroup) {
  constexpr std::string_view kPasswd =
      "root:x:0:0:root:/root:/bin/bash\nann:x:1000:1001::/home/ann:/bin/bash\nbroken:x:1\n"
      "odd:x:one:2::/:/bin/sh\n";
  EXPECT_EQ(FindPasswd(kPasswd, "root")->home, "/root");
  EXPECT_EQ(FindPasswd(kPasswd, "ann")->uid, 1000u);
  EXPECT_EQ(FindPasswd(kPasswd, "ann")->gid, 1001u);
  for (const char* name : {"an", "annabel", "broken", "odd", "home"}) {
    EXPECT_FALSE(FindPasswd(kPasswd, name)) << name;
  }
  constexpr std::string_view kGroup = "adm:x:4:ann\nvideo:x:44:bob,ann\nhome:x:50:anna\n";
  EXPECT_EQ(FindGroup(kGroup, "video"), 44u);
  EXPECT_FALSE(FindGroup(kGroup, "vide"));
  EXPECT_THAT(GroupsOfMember(kGroup, "ann"), ElementsAre(4u, 44u));
}

TEST(Accounts, AreAddedAsUseraddDoes) {
  AccountFiles files{.passwd = "root:x:0:0:root:/root:/bin/bash\nann:x:1000:1001::/home/ann:/x",
                     .shadow = "root:*:1:0:99999:7:::\n",
                     .group = "root:x:0:\nadm:x:4:syslog\nann:x:1001:\nold:x:999:\n",
                     .gshadow = "root:*::\nadm:*::syslog\n"};
  std::optional<PasswdEntry> bob = AddAccount(files, "bob", 20000);
  ASSERT_TRUE(bob);
  EXPECT_EQ(bob->uid, 1002u);  // 1001 is a group's
  EXPECT_EQ(bob->gid, 1002u);
  AddSystemGroup(files, "google-sudoers");
  AddSystemGroup(files, "adm");
  AddToGroups(files, "bob", {"adm", "google-sudoers", "lxd"});
  AddToGroups(files, "bob", {"adm"});
  EXPECT_EQ(files.passwd,
            "root:x:0:0:root:/root:/bin/bash\nann:x:1000:1001::/home/ann:/x\n"
            "bob:x:1002:1002::/home/bob:/bin/bash\n");
  EXPECT_EQ(files.shadow, "root:*:1:0:99999:7:::\nbob:*:20000:0:99999:7:::\n");
  EXPECT_EQ(files.group,
            "root:x:0:\nadm:x:4:syslog,bob\nann:x:1001:\nold:x:999:\nbob:x:1002:\n"
            "google-sudoers:x:998:bob\n");
  EXPECT_EQ(files.gshadow, "root:*::\nadm:*::syslog,bob\nbob:!::\ngoogle-sudoers:!::bob\n");
  EXPECT_EQ(AddAccount(files, "old", 20000)->gid, 999u);
}

TEST(SshDoor, ReadsPublicKeys) {
  EXPECT_EQ(ParsePublicKey("ssh-ed25519 AAAA root@x\n").kind, "ssh-ed25519");
  EXPECT_EQ(ParsePublicKey("ssh-ed25519 AAAA root@x\n").key, "AAAA");
  EXPECT_EQ(ParsePublicKey("ssh-ed25519 AAAA").key, "AAAA");
  EXPECT_EQ(ParsePublicKey("").kind, "");
  EXPECT_EQ(ParsePublicKey("word").kind, "");
}

TEST(GitCredential, TheTokenIsForOneHostOnly) {
  EXPECT_TRUE(IsForSourceRepositories("protocol=https\nhost=source.developers.google.com\n"));
  EXPECT_FALSE(IsForSourceRepositories("protocol=http\nhost=source.developers.google.com\n"));
  EXPECT_FALSE(IsForSourceRepositories("protocol=https\nhost=source.developers.google.com.x\n"));
  EXPECT_FALSE(IsForSourceRepositories("protocol=https\nhost=github.com\n"));
  std::string once = GitConfigWith("[user]\n\tname = ann");
  EXPECT_NE(once.find("\tname = ann\n[credential "), std::string::npos) << once;
  EXPECT_EQ(GitConfigWith(once), once);
}

TEST(Metadata, WordsAndLists) {
  for (const char* word : {"TRUE", "true", "True\n", "1", "yes", "Y"})
    EXPECT_TRUE(IsTrueWord(word));
  for (const char* word : {"", "FALSE", "0", "no", "truely"}) EXPECT_FALSE(IsTrueWord(word));
  EXPECT_TRUE(Lists("a\nssh-keys\n", "ssh-keys"));
  EXPECT_FALSE(Lists("a\nssh-keys-old\n", "ssh-keys"));
}

}  // namespace
}  // namespace fireweed
