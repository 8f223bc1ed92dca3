// What a plain process has started, found by a mark in the environment that it was started with: whoever is its parent by
// now, and whatever session it made. A program that was started with an environment of its own making is not found.
#pragma once

#include <string>

namespace fireweed {

// Kills every process of the host with the variable "NAME=value", and waits until they are gone. May block while the
// kernel frees their memory; gives up on one that does not end.
void KillMarked(const std::string& variable);

}  // namespace fireweed
