// The part of TensorFlow's C interface that serving needs, bound at run time from an installed TensorFlow package. The
// declarations are ours: nothing of TensorFlow is needed to build. Constant after construction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "predict/shared_library.h"

namespace fireweed::predict {

struct TfStatus;
struct TfSessionOptions;
struct TfGraph;
struct TfSession;
struct TfBuffer;
struct TfOperation;
struct TfTensor;

struct TfOutput {
  TfOperation* operation;
  int index;
};

// TF_TString: 24 bytes, of which a view is (length << 2 | 3, pointer).
struct TfString {
  uint64_t word[3];
};

class TensorFlowApi {
 public:
  // `directory`: of the package, with libtensorflow_cc.so.2 in it. Throws Failure.
  explicit TensorFlowApi(const std::string& directory);

  const char* (*version)();
  TfStatus* (*new_status)();
  void (*delete_status)(TfStatus*);
  int (*code)(const TfStatus*);
  const char* (*message)(const TfStatus*);
  TfSessionOptions* (*new_options)();
  void (*delete_options)(TfSessionOptions*);
  void (*set_config)(TfSessionOptions*, const void*, size_t, TfStatus*);
  TfGraph* (*new_graph)();
  void (*delete_graph)(TfGraph*);
  TfSession* (*load)(const TfSessionOptions*, const TfBuffer*, const char*, const char* const*, int,
                     TfGraph*, TfBuffer*, TfStatus*);
  void (*close_session)(TfSession*, TfStatus*);
  void (*delete_session)(TfSession*, TfStatus*);
  TfOperation* (*operation)(TfGraph*, const char*);
  int (*operation_outputs)(TfOperation*);
  TfTensor* (*allocate)(int, const int64_t*, int, size_t);
  void (*delete_tensor)(TfTensor*);
  void* (*data)(const TfTensor*);
  size_t (*byte_size)(const TfTensor*);
  int (*tensor_type)(const TfTensor*);
  int (*dimensions)(const TfTensor*);
  int64_t (*dimension)(const TfTensor*, int);
  void (*run)(TfSession*, const TfBuffer*, const TfOutput*, TfTensor* const*, int, const TfOutput*,
              TfTensor**, int, const TfOperation* const*, int, TfBuffer*, TfStatus*);
  void (*assign_view)(TfString*, const char*, size_t);
  const char* (*string_data)(const TfString*);
  size_t (*string_size)(const TfString*);

 private:
  SharedLibrary library_;
};

}  // namespace fireweed::predict
