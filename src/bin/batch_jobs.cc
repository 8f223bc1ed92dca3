#include "bin/batch_jobs.h"

#include "ml/models/backend_call.h"

namespace fireweed {
namespace {

ml::BatchWorld World(Ground& ground, People& people, PredictionServices& prediction,
                     ml::AccountObjects& objects) {
  ml::BatchWorld world;
  world.may = [&access = people.access](const std::string& account, std::string_view permission,
                                        const std::string& resource) {
    net::Caller caller{.principal = "serviceAccount:" + account, .email = account};
    return access.May(caller, permission, resource);
  };
  world.list = [&objects](const std::string& account, const std::string& bucket,
                          const std::string& prefix) -> Result<std::vector<ml::BatchFile>> {
    auto found = objects.List(account, bucket, prefix);
    if (!found.ok()) return found.error();
    std::vector<ml::BatchFile> files;
    for (const ml::ObjectSight& sight : *found) {
      files.push_back({bucket, sight.name, sight.generation, sight.size});
    }
    return files;
  };
  world.read = [&objects](const std::string& account, const ml::BatchFile& file, const auto& sink) {
    return objects.Read(account, file.bucket, {file.name, file.generation, file.size}, 0,
                        [&](std::span<const std::byte> bytes) {
                          sink({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
                        });
  };
  world.write = [&prediction](const std::string& account, const std::string& bucket,
                              const std::string& name, const std::string& bytes) {
    return prediction.writer.Write(account, bucket, name, bytes);
  };
  world.predict = [&ground, &prediction](const Key& version, const std::string& body) {
    return ml::CallBackend(*prediction.table.Ensure(version), ground.clock, body, {});
  };
  return world;
}

}  // namespace

BatchJobs::BatchJobs(Ground& ground, People& people, PredictionServices& prediction,
                     ActionPool& actions)
    : objects(
          [&prediction](const std::string& account) { return prediction.writer.Token(account); },
          [&ground] { return ground.sockets.http_address; }),
      controller(ground.catalog, actions, World(ground, people, prediction, objects), ground.ids,
                 ground.clock, ground.log) {}

}  // namespace fireweed
