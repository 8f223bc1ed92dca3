// Event files: framing, protocol buffers, tensors; and the hypertune file. All are written by trainers.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "records/event.h"
#include "records/hypertune.h"
#include "records/record_io.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(bytes), size);
  // The checksums keep a fuzzer out of what they protect: the rest is shown to it without them.
  static_cast<void>(fireweed::records::ParseEvent(text));
  fireweed::records::RecordSplitter splitter(0, 1 << 20);
  for (size_t at = 0; at < text.size(); at += 13) {
    splitter.Feed(text.substr(at, 13));
    while (true) {
      auto record = splitter.Next();
      if (!record.ok() || !*record) break;
      static_cast<void>(fireweed::records::ParseEvent(**record));
    }
  }
  fireweed::records::ReadHypertune(text, "accuracy");
  return 0;
}
