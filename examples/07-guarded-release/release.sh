#!/bin/sh
# The release as it was: one process, with every right of whoever starts it, from the first line to the last.
set -e
cd "$(dirname "$0")/app"
version=$(cat VERSION)
sh test.sh
sh -n greet.sh
! grep -rlE 'BEGIN [A-Z ]*PRIVATE KEY' .
mkdir -p ../out ../published
tar -cf "../out/greet-$version.tar" greet.sh VERSION
cp "../out/greet-$version.tar" ../published/
curl -sf -d "greet $version is out" https://chat.example.com/hook || echo "nobody was told"
