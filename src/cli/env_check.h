// Why HTTPS fails in this shell, step by step from the shell's variables to an answered request.
#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/doctor.h"

namespace fireweed::cli {

std::vector<Finding> CheckEnv(const Settings& settings);

// "AB:CD:..." of the first certificate in `pem`. Throws Failure when there is none.
std::string CertificateFingerprint(const std::string& pem);

}  // namespace fireweed::cli
