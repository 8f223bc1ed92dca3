// Rows like those of the 1994 census. Shares are the original's, in thousandths; what depends on what is simplified: age
// and sex first, marriage by them, the rest by those, and income last, by a logistic rule fitted to the original.
#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "cli/data/data_sets.h"
#include "cli/data/draw.h"

namespace fireweed::cli {
namespace {

constexpr double kAges[] = {17, 19, 22, 24, 26, 28, 30, 31, 33, 35, 37,
                            39, 41, 43, 45, 48, 50, 54, 58, 63, 90};
constexpr Choice kWork[] = {{"Private", 740},  {"Self-emp-not-inc", 83}, {"Local-gov", 68},
                            {"State-gov", 42}, {"Self-emp-inc", 36},     {"Federal-gov", 31},
                            {"Without-pay", 1}};
constexpr Choice kEducation[] = {
    {"HS-grad", 323},  {"Some-college", 224}, {"Bachelors", 164}, {"Masters", 53},
    {"Assoc-voc", 42}, {"11th", 36},          {"Assoc-acdm", 33}, {"10th", 29},
    {"7th-8th", 20},   {"Prof-school", 18},   {"9th", 16},        {"12th", 13},
    {"Doctorate", 13}, {"5th-6th", 10},       {"1st-4th", 5},     {"Preschool", 2}};
constexpr std::string_view kSchoolYears[] = {
    "Preschool", "1st-4th", "5th-6th",     "7th-8th",      "9th",       "10th",
    "11th",      "12th",    "HS-grad",     "Some-college", "Assoc-voc", "Assoc-acdm",
    "Bachelors", "Masters", "Prof-school", "Doctorate"};
// By band of age (to 24, 34, 44, 59, older), men and women.
constexpr Choice kMarital[5][2][6] = {{{{"Never-married", 862},
                                        {"Married-civ-spouse", 116},
                                        {"Divorced", 9},
                                        {"Separated", 8},
                                        {"Married-spouse-absent", 4},
                                        {"Widowed", 0}},
                                       {{"Never-married", 899},
                                        {"Married-civ-spouse", 48},
                                        {"Divorced", 25},
                                        {"Separated", 19},
                                        {"Married-spouse-absent", 9},
                                        {"Widowed", 1}}},
                                      {{{"Never-married", 373},
                                        {"Married-civ-spouse", 529},
                                        {"Divorced", 66},
                                        {"Separated", 21},
                                        {"Married-spouse-absent", 10},
                                        {"Widowed", 1}},
                                       {{"Never-married", 544},
                                        {"Married-civ-spouse", 181},
                                        {"Divorced", 181},
                                        {"Separated", 65},
                                        {"Married-spouse-absent", 21},
                                        {"Widowed", 8}}},
                                      {{{"Never-married", 132},
                                        {"Married-civ-spouse", 712},
                                        {"Divorced", 116},
                                        {"Separated", 27},
                                        {"Married-spouse-absent", 10},
                                        {"Widowed", 2}},
                                       {{"Never-married", 254},
                                        {"Married-civ-spouse", 223},
                                        {"Divorced", 386},
                                        {"Separated", 82},
                                        {"Married-spouse-absent", 22},
                                        {"Widowed", 33}}},
                                      {{{"Never-married", 58},
                                        {"Married-civ-spouse", 796},
                                        {"Divorced", 108},
                                        {"Separated", 15},
                                        {"Married-spouse-absent", 12},
                                        {"Widowed", 10}},
                                       {{"Never-married", 137},
                                        {"Married-civ-spouse", 187},
                                        {"Divorced", 436},
                                        {"Separated", 79},
                                        {"Married-spouse-absent", 26},
                                        {"Widowed", 136}}},
                                      {{{"Never-married", 44},
                                        {"Married-civ-spouse", 826},
                                        {"Divorced", 60},
                                        {"Separated", 9},
                                        {"Married-spouse-absent", 9},
                                        {"Widowed", 51}},
                                       {{"Never-married", 86},
                                        {"Married-civ-spouse", 112},
                                        {"Divorced", 242},
                                        {"Separated", 34},
                                        {"Married-spouse-absent", 16},
                                        {"Widowed", 509}}}};
constexpr Choice kSingle[2][4] = {
    {{"Not-in-family", 510}, {"Own-child", 330}, {"Unmarried", 90}, {"Other-relative", 70}},
    {{"Not-in-family", 430}, {"Own-child", 250}, {"Unmarried", 280}, {"Other-relative", 40}}};
// By schooling (below high school, high school, some college, degrees), men and women.
constexpr Choice kJobs[4][2][13] = {{{{"Craft-repair", 222},
                                      {"Other-service", 136},
                                      {"Handlers-cleaners", 118},
                                      {"Transport-moving", 115},
                                      {"Machine-op-inspct", 109},
                                      {"Farming-fishing", 82},
                                      {"Sales", 55},
                                      {"Exec-managerial", 27},
                                      {"Adm-clerical", 23},
                                      {"Prof-specialty", 12},
                                      {"Protective-serv", 10},
                                      {"Tech-support", 4},
                                      {"Priv-house-serv", 1}},
                                     {{"Craft-repair", 26},
                                      {"Other-service", 331},
                                      {"Handlers-cleaners", 29},
                                      {"Transport-moving", 8},
                                      {"Machine-op-inspct", 131},
                                      {"Farming-fishing", 13},
                                      {"Sales", 145},
                                      {"Exec-managerial", 21},
                                      {"Adm-clerical", 83},
                                      {"Prof-specialty", 16},
                                      {"Protective-serv", 5},
                                      {"Tech-support", 7},
                                      {"Priv-house-serv", 49}}},
                                    {{{"Craft-repair", 256},
                                      {"Other-service", 78},
                                      {"Handlers-cleaners", 73},
                                      {"Transport-moving", 109},
                                      {"Machine-op-inspct", 106},
                                      {"Farming-fishing", 54},
                                      {"Sales", 91},
                                      {"Exec-managerial", 76},
                                      {"Adm-clerical", 56},
                                      {"Prof-specialty", 19},
                                      {"Protective-serv", 27},
                                      {"Tech-support", 14},
                                      {"Priv-house-serv", 0}},
                                     {{"Craft-repair", 30},
                                      {"Other-service", 214},
                                      {"Handlers-cleaners", 26},
                                      {"Transport-moving", 15},
                                      {"Machine-op-inspct", 80},
                                      {"Farming-fishing", 6},
                                      {"Sales", 124},
                                      {"Exec-managerial", 78},
                                      {"Adm-clerical", 286},
                                      {"Prof-specialty", 29},
                                      {"Protective-serv", 6},
                                      {"Tech-support", 17},
                                      {"Priv-house-serv", 14}}},
                                    {{{"Craft-repair", 194},
                                      {"Other-service", 71},
                                      {"Handlers-cleaners", 48},
                                      {"Transport-moving", 54},
                                      {"Machine-op-inspct", 53},
                                      {"Farming-fishing", 36},
                                      {"Sales", 133},
                                      {"Exec-managerial", 128},
                                      {"Adm-clerical", 80},
                                      {"Prof-specialty", 67},
                                      {"Protective-serv", 42},
                                      {"Tech-support", 46},
                                      {"Priv-house-serv", 0}},
                                     {{"Craft-repair", 19},
                                      {"Other-service", 146},
                                      {"Handlers-cleaners", 9},
                                      {"Transport-moving", 7},
                                      {"Machine-op-inspct", 24},
                                      {"Farming-fishing", 6},
                                      {"Sales", 123},
                                      {"Exec-managerial", 109},
                                      {"Adm-clerical", 312},
                                      {"Prof-specialty", 91},
                                      {"Protective-serv", 9},
                                      {"Tech-support", 52},
                                      {"Priv-house-serv", 6}}},
                                    {{{"Craft-repair", 42},
                                      {"Other-service", 20},
                                      {"Handlers-cleaners", 9},
                                      {"Transport-moving", 13},
                                      {"Machine-op-inspct", 11},
                                      {"Farming-fishing", 16},
                                      {"Sales", 136},
                                      {"Exec-managerial", 265},
                                      {"Adm-clerical", 50},
                                      {"Prof-specialty", 359},
                                      {"Protective-serv", 18},
                                      {"Tech-support", 33},
                                      {"Priv-house-serv", 0}},
                                     {{"Craft-repair", 7},
                                      {"Other-service", 40},
                                      {"Handlers-cleaners", 2},
                                      {"Transport-moving", 1},
                                      {"Machine-op-inspct", 7},
                                      {"Farming-fishing", 1},
                                      {"Sales", 81},
                                      {"Exec-managerial", 197},
                                      {"Adm-clerical", 128},
                                      {"Prof-specialty", 453},
                                      {"Protective-serv", 6},
                                      {"Tech-support", 37},
                                      {"Priv-house-serv", 3}}}};
constexpr Choice kRace[] = {{"White", 854},
                            {"Black", 96},
                            {"Asian-Pac-Islander", 32},
                            {"Amer-Indian-Eskimo", 10},
                            {"Other", 8}};
constexpr Choice kCountry[] = {
    {"United-States", 896}, {"Mexico", 20},   {"?", 18},          {"Philippines", 6},
    {"Germany", 4},         {"Canada", 4},    {"Puerto-Rico", 4}, {"El-Salvador", 3},
    {"India", 3},           {"Cuba", 3},      {"England", 3},     {"Jamaica", 2},
    {"South", 2},           {"China", 2},     {"Italy", 2},       {"Dominican-Republic", 2},
    {"Vietnam", 2},         {"Guatemala", 2}, {"Japan", 2},       {"Poland", 2},
    {"Columbia", 2},        {"Taiwan", 2},    {"Haiti", 1},       {"Iran", 1},
    {"Portugal", 1},        {"Nicaragua", 1}, {"Peru", 1},        {"France", 1},
    {"Greece", 1},          {"Ecuador", 1},   {"Ireland", 1},     {"Cambodia", 1},
    {"Thailand", 1},        {"Laos", 1}};
constexpr Choice kHours[] = {{"40", 467}, {"50", 87}, {"45", 56}, {"60", 45}, {"35", 40},
                             {"20", 38},  {"30", 35}, {"55", 21}, {"25", 21}, {"48", 16},
                             {"38", 15},  {"15", 12}, {"70", 9},  {"10", 9},  {"32", 8},
                             {"24", 8},   {"65", 7},  {"36", 7},  {"42", 7},  {"44", 7}};
constexpr double kGain[2][7] = {{114, 1424, 2202, 3273, 4101, 5013, 41310},
                                {3103, 4787, 7298, 7896, 15024, 27828, 99999}};
constexpr double kLoss[2][7] = {{155, 1408, 1590, 1721, 1980, 2205, 4356},
                                {653, 1848, 1887, 1902, 1977, 2415, 3683}};

struct Person {
  int age = 0, years = 0, hours = 0;
  bool man = false, unknown_job = false;
  std::string_view work, education, marital, job, relationship, race, country;
};

bool AnyOf(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

Person DrawPerson(Draw& draw) {
  Person p;
  p.age = static_cast<int>(draw.Quantile(kAges));
  p.man = draw.Chance(0.669);
  size_t sex = p.man ? 0 : 1;
  size_t band = p.age < 25 ? 0 : p.age < 35 ? 1 : p.age < 45 ? 2 : p.age < 60 ? 3 : 4;
  p.marital = draw.Of(kMarital[band][sex]);
  bool married = p.marital == "Married-civ-spouse";
  p.relationship = !married ? draw.Of(kSingle[sex]) : p.man ? "Husband" : "Wife";
  p.education = draw.Of(kEducation);
  auto year = std::find(std::begin(kSchoolYears), std::end(kSchoolYears), p.education);
  p.years = static_cast<int>(year - std::begin(kSchoolYears)) + 1;
  size_t schooling = p.years < 9 ? 0 : p.years == 9 ? 1 : p.years < 13 ? 2 : 3;
  p.job = draw.Of(kJobs[schooling][sex]);
  p.work = draw.Of(kWork);
  p.unknown_job = draw.Chance(0.057);
  p.race = draw.Of(kRace);
  p.country = draw.Of(kCountry);
  p.hours = std::stoi(std::string(draw.Of(kHours)));
  return p;
}

// The original's own odds, a little sharper for what its trees find beyond straight lines.
bool EarnsMore(Draw& draw, const Person& p) {
  double odds =
      -2.83 + 2.223 * (p.marital == "Married-civ-spouse") + 0.705 * (p.years - 10) / 2.5 +
      0.648 * (std::min(p.age, 50) / 10.0 - 3.8) - 0.447 * std::max(p.age - 50, 0) / 10.0 +
      0.298 * (p.hours - 40) / 12.0 + 0.777 * AnyOf(p.job, {"Exec-managerial", "Prof-specialty"}) +
      0.471 * AnyOf(p.job, {"Tech-support", "Protective-serv", "Sales"}) -
      0.851 * AnyOf(p.job,
                    {"Farming-fishing", "Handlers-cleaners", "Other-service", "Priv-house-serv"}) +
      0.179 * p.man + 0.452 * AnyOf(p.work, {"Self-emp-inc", "Federal-gov"});
  return draw.Chance(1 / (1 + std::exp(-1.15 * odds)));
}

std::string Row(Draw& draw, std::string_view end) {
  Person p = DrawPerson(draw);
  bool more = EarnsMore(draw, p);
  int gain = draw.Chance(more ? 0.214 : 0.042) ? static_cast<int>(draw.Quantile(kGain[more])) : 0;
  int loss = gain == 0 && draw.Chance(more ? 0.125 : 0.031)
                 ? static_cast<int>(draw.Quantile(kLoss[more]))
                 : 0;
  return fmt::format(
      "{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}{}\n", p.age,
      p.unknown_job ? "?" : p.work, static_cast<int>(std::exp(draw.Normal(11.984, 0.631))),
      p.education, p.years, p.marital, p.unknown_job ? "?" : p.job, p.relationship, p.race,
      p.man ? "Male" : "Female", gain, loss, p.hours, p.country, more ? ">50K" : "<=50K", end);
}

}  // namespace

void MakeCensus(uint64_t seed, const EmitFile& emit) {
  SeededRandom random(seed);
  Draw draw(random);
  std::string text;
  for (int i = 0; i < 32561; ++i) text += Row(draw, "");
  emit("adult.data", text + "\n");
  text = "|1x3 Cross validator\n";
  for (int i = 0; i < 16281; ++i) text += Row(draw, ".");
  emit("adult.test", text + "\n");
}

}  // namespace fireweed::cli
