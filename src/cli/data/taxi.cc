// Trips like those of Chicago's taxis. Nearly only who pays by card tips on the record; how much depends a little on the
// way and the hour.
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "cli/data/data_sets.h"
#include "cli/data/draw.h"

namespace fireweed::cli {
namespace {

struct Area {
  int number, weight;
  double latitude, longitude;
};
constexpr Area kAreas[] = {
    {8, 4908, 41.8961, -87.6284}, {32, 3303, 41.8809, -87.6271}, {28, 1284, 41.8801, -87.6491},
    {6, 1180, 41.9436, -87.6538}, {76, 895, 41.9794, -87.9059},  {7, 893, 41.9222, -87.6458},
    {24, 598, 41.9013, -87.6715}, {33, 309, 41.8570, -87.6193},  {3, 269, 41.9649, -87.6557},
    {56, 255, 41.7882, -87.7573}, {77, 180, 41.9862, -87.6638},  {22, 175, 41.9222, -87.6953},
    {5, 111, 41.9479, -87.6829},  {41, 71, 41.7934, -87.5908},   {1, 71, 42.0093, -87.6700},
    {2, 57, 42.0016, -87.6950},   {4, 57, 41.9746, -87.6875},    {16, 56, 41.9538, -87.7241},
    {21, 51, 41.9393, -87.7116},  {14, 49, 41.9681, -87.7216}};
constexpr Choice kCompanies[] = {
    {"Taxi Affiliation Services", 5176},   {"", 5140},
    {"Dispatch Taxi Affiliation", 1636},   {"Blue Ribbon Taxi Association Inc.", 1090},
    {"Choice Taxi Association", 872},      {"Northwest Management LLC", 551},
    {"KOAM Taxi Association", 246},        {"Top Cab Affiliation", 132},
    {"Chicago Medallion Leasing INC", 22}, {"Chicago Medallion Management", 17}};
constexpr Choice kPayments[] = {{"Cash", 9909},  {"Credit Card", 4975}, {"No Charge", 81},
                                {"Unknown", 29}, {"Dispute", 4},        {"Pcard", 3}};
constexpr int kHours[] = {602, 544, 419, 292, 197, 143, 193, 302,  530, 664, 687, 619,
                          745, 698, 736, 722, 763, 829, 941, 1010, 966, 838, 837, 725};
constexpr std::string_view kHeader =
    "pickup_community_area,fare,trip_start_month,trip_start_hour,trip_start_day,trip_start_"
    "timestamp,"
    "pickup_latitude,pickup_longitude,dropoff_latitude,dropoff_longitude,trip_miles,pickup_census_"
    "tract,"
    "dropoff_census_tract,payment_type,company,trip_seconds,dropoff_community_area,tips\n";
constexpr int64_t kFirstDay = 1356998400;  // 2013-01-01
constexpr int kDays = 4 * 365;

const Area& DrawArea(Draw& draw) {
  int total = 0;
  for (const Area& area : kAreas) total += area.weight;
  int at = static_cast<int>(draw.Uniform() * total);
  for (const Area& area : kAreas) {
    at -= area.weight;
    if (at < 0) return area;
  }
  return kAreas[0];
}

int DrawHour(Draw& draw) {
  int total = 0;
  for (int weight : kHours) total += weight;
  int at = static_cast<int>(draw.Uniform() * total), hour = 0;
  while ((at -= kHours[hour]) >= 0) ++hour;
  return hour;
}

double Miles(const Area& from, const Area& to) {
  double north = (to.latitude - from.latitude) * 69, east = (to.longitude - from.longitude) * 51.4;
  return std::hypot(north, east);
}

double Tip(Draw& draw, std::string_view payment, double fare, double miles, int hour) {
  if (payment != "Credit Card" || draw.Chance(0.049)) return 0;
  bool well = draw.Chance(0.71 - 0.006 * miles + (hour >= 18 ? 0.04 : -0.02));
  double share = well ? 0.2 + 0.12 * -std::log(1 - draw.Uniform()) : 0.2 * draw.Uniform();
  return std::round(fare * share * 100) / 100;
}

std::string Trip(Draw& draw) {
  const Area& from = DrawArea(draw);
  const Area& to = DrawArea(draw);
  int day = static_cast<int>(draw.Uniform() * kDays), hour = DrawHour(draw);
  int64_t start =
      kFirstDay + int64_t{day} * 86400 + hour * 3600 + static_cast<int>(draw.Uniform() * 4) * 900;
  double miles = Miles(from, to) * (1.1 + 0.3 * draw.Uniform()) + 0.9 * draw.Uniform();
  int seconds = static_cast<int>(miles * 170 * std::exp(draw.Normal(0, 0.3)) / 60 + 3) * 60;
  double fare = std::round((3.25 + 1.8 * miles + 0.0028 * seconds) * 20) / 20;
  std::string_view payment = draw.Of(kPayments), company = draw.Of(kCompanies);
  double tip = Tip(draw, payment, fare, miles, hour);
  bool lost = draw.Chance(0.033), metered = draw.Chance(0.7);
  std::string where =
      lost ? std::string(",") : fmt::format("{:.4f},{:.4f}", to.latitude, to.longitude);
  std::string tract =
      lost || draw.Chance(0.26) ? "" : fmt::format("170318{:03}00", 100 + to.number * 7);
  return fmt::format("{},{:.2f},{},{},{},{},{:.4f},{:.4f},{},{:.1f},,{},{},{},{},{},{:.2f}\n",
                     from.number, fare, day / 30 % 12 + 1, hour, (day + 2) % 7 + 1, start,
                     from.latitude, from.longitude, where, metered ? miles : 0.0, tract, payment,
                     company, seconds, lost ? "" : std::to_string(to.number), tip);
}

std::string File(Draw& draw, int rows) {
  std::string text(kHeader);
  for (int i = 0; i < rows; ++i) text += Trip(draw);
  return text;
}

}  // namespace

void MakeTaxi(uint64_t seed, const EmitFile& emit) {
  SeededRandom random(seed);
  Draw draw(random);
  emit("train.csv", File(draw, 10000));
  emit("eval.csv", File(draw, 5000));
}

}  // namespace fireweed::cli
