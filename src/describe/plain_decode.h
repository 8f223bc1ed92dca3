// JSON straight into a described value, without a tree in between: what our own encoder writes, several times as fast.
// Pure; for describe/ itself (DecodeValue tries it first).
#pragma once

#include <string_view>

#include "describe/type.h"

namespace fireweed {

// Unknown fields are passed over. False: there is something in the text that is not for this reader (a mistake, or a
// rarer way to write a value); what was read until then is in `value`, and the reader of everything begins again.
bool DecodePlain(const Type& type, void* value, std::string_view json);

}  // namespace fireweed
