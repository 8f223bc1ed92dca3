#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/ml/batch_flags.h"
#include "cli/ml/ml_commands.h"
#include "cli/ml/predict_commands.h"

namespace fireweed::cli {

void AddMlCommands(CLI::App& app, Settings& settings) {
  CLI::App* root =
      app.add_subcommand("ai-platform", "Training and prediction, in gcloud's grammar");
  root->alias("ml-engine");
  root->require_subcommand(1);
  AddJobCommands(*root, settings);
  AddSubmitCommands(*root, settings);
  AddBatchCommand(*root, settings);
  AddLocalCommands(*root, settings);
  AddModelCommands(*root, settings);
  AddPredictCommand(*root, settings);
  AddLocalPredict(*root, settings);
  AddLoggingCommands(app, settings);
  AddPredictCommand(app, settings);
  AddDeployCommand(app, settings);
}

}  // namespace fireweed::cli
