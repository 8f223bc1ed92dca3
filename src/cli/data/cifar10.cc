// Pictures of ten kinds in the binary layout of CIFAR-10: a label byte, then 32 x 32 bytes of red, green and blue. A kind
// is a colour, a grain of its own direction and width, and a round or square spot somewhere; each varies so much that
// the kinds overlap.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include <fmt/format.h>

#include "cli/data/data_sets.h"
#include "cli/data/draw.h"

namespace fireweed::cli {
namespace {

constexpr int kSide = 32, kKinds = 10, kPerFile = 10000;

struct Look {
  std::array<double, 3> colour;
  double direction, width, phase, spot_x, spot_y, spot_size;
  bool round;
};

Look DrawLook(Draw& draw, int kind) {
  Look look;
  double turn = 2 * std::numbers::pi * kind / kKinds;
  for (size_t c = 0; c < 3; ++c) {
    look.colour[c] = 120 + 30 * std::cos(turn + 2.1 * static_cast<double>(c)) + draw.Normal(0, 30);
  }
  look.direction = std::numbers::pi * (kind * 3 % kKinds) / kKinds + draw.Normal(0, 0.22);
  look.width = 0.35 + 0.12 * (kind % 4) + draw.Normal(0, 0.06);
  look.phase = 2 * std::numbers::pi * draw.Uniform();
  look.spot_x = 6 + 20 * draw.Uniform();
  look.spot_y = 6 + 20 * draw.Uniform();
  look.spot_size = 4 + 5 * draw.Uniform();
  look.round = kind % 2 == 0 ? draw.Chance(0.85) : draw.Chance(0.15);
  return look;
}

void AppendPicture(Draw& draw, int kind, std::string& out) {
  Look look = DrawLook(draw, kind);
  out.push_back(static_cast<char>(kind));
  double along = std::cos(look.direction), across = std::sin(look.direction);
  std::array<double, kSide * kSide> shape;
  for (int y = 0; y < kSide; ++y) {
    for (int x = 0; x < kSide; ++x) {
      double dx = std::abs(x - look.spot_x), dy = std::abs(y - look.spot_y);
      bool spot =
          look.round ? std::hypot(dx, dy) < look.spot_size : std::max(dx, dy) < look.spot_size;
      shape[static_cast<size_t>(y * kSide + x)] =
          26 * std::sin(look.width * (x * along + y * across) + look.phase) + (spot ? 45 : 0);
    }
  }
  for (double colour : look.colour) {
    for (double value : shape) {
      double noisy = std::clamp(colour + value + 0.19 * (draw.Byte() - 127.5), 0.0, 255.0);
      out.push_back(static_cast<char>(static_cast<unsigned char>(noisy)));
    }
  }
}

std::string File(Draw& draw) {
  std::string out;
  out.reserve(size_t{kPerFile} * (3 * kSide * kSide + 1));
  for (int i = 0; i < kPerFile; ++i)
    AppendPicture(draw, static_cast<int>(draw.Uniform() * kKinds), out);
  return out;
}

}  // namespace

void MakeCifar10(uint64_t seed, const EmitFile& emit) {
  SeededRandom random(seed);
  Draw draw(random);
  for (int batch = 1; batch <= 5; ++batch)
    emit(fmt::format("data_batch_{}.bin", batch), File(draw));
  emit("test_batch.bin", File(draw));
  emit("batches.meta.txt",
       "airplane\nautomobile\nbird\ncat\ndeer\ndog\nfrog\nhorse\nship\ntruck\n\n");
}

}  // namespace fireweed::cli
