#include "cli/data/data_sets.h"

namespace fireweed::cli {

std::span<const DataSet> DataSets() {
  static const std::vector<DataSet> sets = {
      {"census",
       "who earns more than 50,000 dollars: 32,561 rows to learn from, 16,281 to test with",
       "adult",
       {"adult.data", "adult.test"},
       {"https://archive.ics.uci.edu/ml/machine-learning-databases/adult/adult.data",
        "https://archive.ics.uci.edu/ml/machine-learning-databases/adult/adult.test"},
       &MakeCensus},
      {"iris",
       "three kinds of flower by four measures: 120 rows and 30",
       "iris",
       {"iris_training.csv", "iris_test.csv"},
       {"https://storage.googleapis.com/download.tensorflow.org/data/iris_training.csv",
        "https://storage.googleapis.com/download.tensorflow.org/data/iris_test.csv"},
       &MakeIris},
      {"taxi",
       "Chicago taxi trips, who tips well: 10,000 rows and 5,000",
       "chicago_taxi",
       {"train.csv", "eval.csv"},
       {"https://raw.githubusercontent.com/tensorflow/tfx/"
        "e7a9685bb6edf47d6af44b5a01e49a4fa6ed53da/tfx/examples/chicago_taxi/data/train/data.csv",
        "https://raw.githubusercontent.com/tensorflow/tfx/"
        "e7a9685bb6edf47d6af44b5a01e49a4fa6ed53da/tfx/examples/chicago_taxi/data/eval/data.csv"},
       &MakeTaxi},
      {"cifar10",
       "small pictures of ten kinds, binary version: 50,000 and 10,000",
       "cifar10",
       {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin",
        "data_batch_5.bin", "test_batch.bin"},
       {"https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz"},
       &MakeCifar10},
  };
  return sets;
}

}  // namespace fireweed::cli
