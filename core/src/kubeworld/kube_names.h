// The Job controller's own Job, Pod and so on: a Volcano Job has types of the same names.
#pragma once

#include "pumice/kubejob/model.h"

namespace pumice::kubeworld {

using namespace kubejob;
using kubejob::Condition;
using kubejob::ContainerStatus;
using kubejob::Job;
using kubejob::JobPtr;
using kubejob::JobSpec;
using kubejob::JobStatus;
using kubejob::Pod;
using kubejob::PodCondition;
using kubejob::PodPtr;

}  // namespace pumice::kubeworld
