// Extended attributes from one open file or directory to another: all that say something about the file, and of the
// overlay's own only those that mean something in any layer. Throws Failure.
#pragma once

namespace fireweed {

void CopyAttributes(int from, int to);

}  // namespace fireweed
