#include "predict/tensorflow/c_api.h"

namespace fireweed::predict {

TensorFlowApi::TensorFlowApi(const std::string& directory)
    : library_(directory + "/libtensorflow_cc.so.2") {
  library_.Bind(version, "TF_Version");
  library_.Bind(new_status, "TF_NewStatus");
  library_.Bind(delete_status, "TF_DeleteStatus");
  library_.Bind(code, "TF_GetCode");
  library_.Bind(message, "TF_Message");
  library_.Bind(new_options, "TF_NewSessionOptions");
  library_.Bind(delete_options, "TF_DeleteSessionOptions");
  library_.Bind(set_config, "TF_SetConfig");
  library_.Bind(new_graph, "TF_NewGraph");
  library_.Bind(delete_graph, "TF_DeleteGraph");
  library_.Bind(load, "TF_LoadSessionFromSavedModel");
  library_.Bind(close_session, "TF_CloseSession");
  library_.Bind(delete_session, "TF_DeleteSession");
  library_.Bind(operation, "TF_GraphOperationByName");
  library_.Bind(operation_outputs, "TF_OperationNumOutputs");
  library_.Bind(allocate, "TF_AllocateTensor");
  library_.Bind(delete_tensor, "TF_DeleteTensor");
  library_.Bind(data, "TF_TensorData");
  library_.Bind(byte_size, "TF_TensorByteSize");
  library_.Bind(tensor_type, "TF_TensorType");
  library_.Bind(dimensions, "TF_NumDims");
  library_.Bind(dimension, "TF_Dim");
  library_.Bind(run, "TF_SessionRun");
  library_.Bind(assign_view, "TF_StringAssignView");
  library_.Bind(string_data, "TF_StringGetDataPointer");
  library_.Bind(string_size, "TF_StringGetSize");
}

}  // namespace fireweed::predict
