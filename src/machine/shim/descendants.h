// Every process below this one, for machines without a pid namespace.
#pragma once

namespace fireweed {

// Kills and reaps until no child is left. REQUIRES: this process is a child subreaper, so that orphans of children
// become children.
void KillDescendants();

}  // namespace fireweed
