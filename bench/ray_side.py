"""Ray alone on this machine, for bench/job_rivals.py: reads paths of programs, submits each as a job and says after how
many seconds it printed and ended. Runs in Ray's own environment; Ray ends with it."""
import json
import sys
import time

import ray
from ray.job_submission import JobStatus, JobSubmissionClient


def say(what):
    print("side " + json.dumps(what), flush=True)


def submit(client, path):
    begun = time.time()
    job = client.submit_job(entrypoint="sh " + path)
    while (status := client.get_job_status(job)) not in (JobStatus.SUCCEEDED, JobStatus.FAILED, JobStatus.STOPPED):
        time.sleep(0.02)
    done = time.time()
    printed = [line for line in client.get_job_logs(job).splitlines() if line.startswith("bench ")]
    if status != JobStatus.SUCCEEDED or not printed:
        raise SystemExit("the job has ended %s: %s" % (status, client.get_job_logs(job)))
    return float(printed[0].split()[1]) - begun, done - begun


def main():
    context = ray.init(include_dashboard=True, dashboard_port=0, _temp_dir=sys.argv[1] + "/ray", log_to_driver=False)
    client = JobSubmissionClient("http://" + context.dashboard_url)
    say("ready")
    for line in sys.stdin:
        say(submit(client, line.strip()))
    ray.shutdown()


main()
