#include "cli/env_plan.h"

#include <gtest/gtest.h>

namespace fireweed::cli {
namespace {

EnvInputs Inputs(Environment environment) {
  EnvInputs inputs;
  inputs.environment = std::move(environment);
  inputs.state = "/s";
  inputs.client_directory = "/s/client";
  inputs.proxy_url = "http://fireweed:secret@127.0.0.1:8080";
  inputs.http_url = "http://127.0.0.1:8080";
  inputs.project = "fireweed";
  inputs.programs_directory = "/s/client/bin";
  inputs.bundle = [](const std::string& base) { return "bundle(" + base + ")"; };
  return inputs;
}

Environment Apply(Environment environment, const std::vector<EnvChange>& changes) {
  for (const EnvChange& change : changes) {
    if (change.value)
      environment[change.name] = *change.value;
    else
      environment.erase(change.name);
  }
  return environment;
}

const Environment kBusy = {{"HOME", "/root"},
                           {"PATH", "/opt/bin:/usr/bin"},
                           {"HTTPS_PROXY", "http://corp:3128"},
                           {"NO_PROXY", "corp.example"},
                           {"CURL_CA_BUNDLE", "/etc/corp.pem"},
                           {"CLOUDSDK_CORE_PROJECT", "mine"},
                           {"GIT_CONFIG_COUNT", "1"},
                           {"GIT_CONFIG_KEY_0", "a.b"},
                           {"GIT_CONFIG_VALUE_0", "c"}};

TEST(EnvPlan, UnsetRestoresExactlyWhatWasThere) {
  for (const Environment& before : {Environment{}, kBusy}) {
    Environment after = Apply(before, PlanEnv(Inputs(before)));
    EXPECT_NE(after, before);
    EXPECT_EQ(Apply(after, PlanUnset(after)), before);
  }
}

TEST(EnvPlan, CanBeRepeated) {
  Environment once = Apply(kBusy, PlanEnv(Inputs(kBusy)));
  Environment twice = Apply(once, PlanEnv(Inputs(once)));
  EXPECT_EQ(once, twice);
}

TEST(EnvPlan, ASecondPlanTakesBackWhatItDoesNotNeed) {
  Environment all = Apply(kBusy, PlanEnv(Inputs(kBusy)));
  EnvInputs only_git = Inputs(all);
  only_git.clients = {Client::kGit};
  Environment git = Apply(all, PlanEnv(only_git));
  EXPECT_EQ(git["CURL_CA_BUNDLE"], "/etc/corp.pem");
  EXPECT_EQ(git.count("BOTO_CONFIG"), 0u);
  EXPECT_EQ(Apply(git, PlanUnset(git)), kBusy);
}

TEST(EnvPlan, AddsToWhatWasThere) {
  Environment after = Apply(kBusy, PlanEnv(Inputs(kBusy)));
  EXPECT_EQ(after["CURL_CA_BUNDLE"], "bundle(/etc/corp.pem)");
  EXPECT_EQ(after["SSL_CERT_FILE"], "bundle()");
  EXPECT_EQ(after["HTTPS_PROXY"], "http://fireweed:secret@127.0.0.1:8080");
  EXPECT_EQ(after["https_proxy"], after["HTTPS_PROXY"]);
  EXPECT_TRUE(after["no_proxy"].ends_with(",corp.example"));
  EXPECT_TRUE(after["NO_PROXY"].starts_with("localhost,127.0.0.1,"));
  EXPECT_EQ(after["GIT_CONFIG_COUNT"], "3");
  EXPECT_EQ(after["GIT_CONFIG_VALUE_1"], "gcloud.sh");
  EXPECT_EQ(after.count("CLOUDSDK_CORE_PROJECT"), 0u)
      << "it would beat `gcloud config set project`";
  EXPECT_EQ(after.count("HTTP_PROXY"), 0u) << "metadata and plain http stay direct";
}

TEST(EnvPlan, NoCredentialHelperOfGitIsAskedAboutTheProxy) {
  Environment after = Apply(kBusy, PlanEnv(Inputs(kBusy)));
  EXPECT_EQ(after["GIT_CONFIG_KEY_2"], "credential.http://127.0.0.1:8080.helper");
  ASSERT_EQ(after.count("GIT_CONFIG_VALUE_2"), 1u);
  EXPECT_EQ(after["GIT_CONFIG_VALUE_2"], "");
  EnvInputs direct = Inputs(kBusy);
  direct.use_proxy = false;
  EXPECT_EQ(Apply(kBusy, PlanEnv(direct))["GIT_CONFIG_COUNT"], "2");
}

TEST(EnvPlan, WithoutProxyUsesEndpoints) {
  EnvInputs inputs = Inputs({});
  inputs.use_proxy = false;
  Environment after = Apply({}, PlanEnv(inputs));
  EXPECT_EQ(after.count("HTTPS_PROXY"), 0u);
  EXPECT_EQ(after["CLOUDSDK_API_ENDPOINT_OVERRIDES_STORAGE"], "http://127.0.0.1:8080/");
  EXPECT_EQ(after["API_ENDPOINT_OVERRIDE"], "http://127.0.0.1:8080");
  EXPECT_EQ(after["FSSPEC_GCS"], R"({"endpoint_url": "http://127.0.0.1:8080"})");
  EXPECT_TRUE(after["GOOGLE_APPLICATION_CREDENTIALS"].ends_with("/adc_direct.json"));
}

TEST(EnvPlan, RendersForShellsAndFiles) {
  std::vector<EnvChange> changes = {{"A", "it's $HOME"}, {"B", std::nullopt}};
  EXPECT_EQ(RenderEnv(changes, EnvFormat::kShell), "export A='it'\\''s $HOME'\nunset B\n");
  EXPECT_EQ(RenderEnv(changes, EnvFormat::kDotenv), "A='it'\\''s $HOME'\n");
  EXPECT_EQ(RenderEnv(changes, EnvFormat::kJson), "{\"A\":\"it's $HOME\",\"B\":null}\n");
}

TEST(EnvPlan, ProgramsGoInFrontOfPathAndAreTakenOutOfAChangedOne) {
  Environment after = Apply(kBusy, PlanEnv(Inputs(kBusy)));
  EXPECT_EQ(after["PATH"], "/s/client/bin:/opt/bin:/usr/bin");
  after["PATH"] = "/venv/bin:" + after["PATH"];  // activated since
  EXPECT_EQ(PathWithoutPrograms(after), "/venv/bin:/opt/bin:/usr/bin");
  EXPECT_EQ(Apply(after, PlanUnset(after))["PATH"], "/venv/bin:/opt/bin:/usr/bin");
  EXPECT_EQ(Apply(after, PlanEnv(Inputs(after)))["PATH"],
            "/s/client/bin:/venv/bin:/opt/bin:/usr/bin");
  EXPECT_EQ(Apply({}, PlanEnv(Inputs({}))).count("PATH"), 0u) << "the shell's own list stays";
  EnvInputs only_git = Inputs(after);
  only_git.clients = {Client::kGit};
  EXPECT_EQ(Apply(after, PlanEnv(only_git))["PATH"], "/venv/bin:/opt/bin:/usr/bin");
}

TEST(EnvPlan, UnsetInAFreshShellDoesNothing) { EXPECT_TRUE(PlanUnset({{"A", "b"}}).empty()); }

}  // namespace
}  // namespace fireweed::cli
