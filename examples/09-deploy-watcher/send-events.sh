#!/bin/sh
# Sends each line of a file as an event to a run: sh send-events.sh RUN FILE
while IFS= read -r line; do
  npx reflex signal "$1" event ":=$line" --answers none --quiet
  [ $? -eq 75 ] || exit 1
done < "$2"
