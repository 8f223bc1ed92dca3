// fireweed base-images list|prune|export|import: the trees that instances of this machine stand on.
#pragma once

#include "cli/context.h"

namespace fireweed::cli {

class Command;

void AddBaseImageCommands(Command& app, Settings& settings);

}  // namespace fireweed::cli
