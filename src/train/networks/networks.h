#pragma once
// The methods in training, each in a file of its own.

#include "train/networks/network.h"

namespace cmr::train {

std::unique_ptr<Network> train_cmr(const Model& model);
std::unique_ptr<Network> train_ae(const Model& model);
std::unique_ptr<Network> train_vae(const Model& model);
std::unique_ptr<Network> train_usad(const Model& model);
std::unique_ptr<Network> train_svdd(const Model& model);
std::unique_ptr<Network> train_anomaly_transformer(const Model& model);

}  // namespace cmr::train
