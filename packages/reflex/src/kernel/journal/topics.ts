import type { Ref } from './record.ts'

/** A wait for messages: its topic, and the frame that waits. */
export interface TopicWait {
  readonly name: string
  readonly frame: Ref
}

/** Returns the address of a topic in one frame, `event@12f`: frames that wait for the same topic in one run do not take its messages. */
export function topicIn(frame: Ref, name: string): string {
  return `${name}@${frame}`
}

/** True if a message to this address meets the wait: it names the topic alone, or the topic in the frame of the wait. */
export function takesTopic({ name, frame }: TopicWait, to: string): boolean {
  return to === name || (to.length > name.length && to === topicIn(frame, name))
}
