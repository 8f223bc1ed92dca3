#! /bin/bash
# Start-up script of the instance that the image is made from: installs what the trainer needs and powers off.
sudo apt-get update && sudo apt-get install -y python3-pip
sudo pip install numpy scipy pandas scikit-learn==1.5.2 xgboost-cpu==2.1.4 tensorflow-cpu google-cloud-storage
sudo shutdown -h now
