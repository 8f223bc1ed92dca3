
#include "cli/commands.h"
#include "cli/grammar.h"
#include "cli/ml/batch_flags.h"
#include "cli/ml/ml_commands.h"
#include "cli/ml/predict_commands.h"

namespace fireweed::cli {

void AddMlCommands(Command& app, Settings& settings) {
  Command* root = app.AddCommand("ai-platform", "Run training jobs and manage models");
  root->Alias("ml-engine");
  root->NeedsCommand();
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
