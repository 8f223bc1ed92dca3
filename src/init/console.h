// Lines on the serial console, as the guest programs of the public cloud write them, so that scripts which grep the
// serial port find what they look for:
//   Nov 15 07:00:00 t1 google_metadata_script_runner[12]: startup-script exit status 0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fireweed {

// `when` is "Nov 15 07:00:00". Pure.
std::string FormatConsoleLine(std::string_view when, std::string_view host,
                              std::string_view program, int pid, std::string_view text);

// Writes one line to standard output in a single write(2), stamped with the present time and this host's name.
void SayOnConsole(std::string_view program, std::string_view text);

// Cuts a stream into lines. A line longer than kLongest is handed out in pieces. Pure.
class LineCutter {
 public:
  static constexpr size_t kLongest = 4096;
  // The lines that `bytes` completed, without their ends ("\n" or "\r\n").
  std::vector<std::string> Add(std::string_view bytes);
  // What is left without an end, if anything.
  std::vector<std::string> Finish();

 private:
  std::string partial_;
};

}  // namespace fireweed
