import type { Surroundings } from '../app/host.ts'
import type { Worker } from '../kernel/index.ts'

/** Where text goes. */
export interface Sink {
  write(text: string): void
  /** Whether a person looks at it through a terminal that can move its cursor. */
  readonly terminal: boolean
  /** How wide the terminal is; undefined or 0 where nobody knows. */
  readonly columns: number | undefined
}

/** A key that was pressed, or text that was pasted. */
export interface Key {
  /** `return`, `up`, `escape`, `backspace`, or the letter. */
  readonly name: string | undefined
  readonly text: string
  readonly ctrl: boolean
}

/** What a person or the system says to end the command. */
export type Interrupt = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

/** The machine that a command runs on. */
export interface Machine {
  /** The version of Node, such as `24.21.0`. */
  readonly node: string
  /** Such as `linux x64`. */
  readonly system: string
  /** The user's own folder. */
  readonly home: string
}

/** Everything around a command: made of the process by `cli/host.ts`, and of plain objects by tests. */
export interface World {
  readonly surroundings: Surroundings
  /** Results. */
  readonly out: Sink
  /** The story: progress, questions, faults. */
  readonly err: Sink
  /** Hands over the keys that are pressed until the returned function is called; absent where nobody sits. */
  readonly keyboard: ((listener: (key: Key) => void) => () => void) | undefined
  /**
   * Writes to standard output what stands in a store, letter by letter as it stands there: secrets have left it before it was recorded, and
   * its hashes would not fit otherwise. Resolves once it is taken; false once nobody reads any more.
   */
  send(text: string): Promise<boolean>
  /** All that comes in through standard input. */
  readInput(): Promise<string>
  /** The same as it comes, for what may be larger than a text. */
  receive(): AsyncIterable<Uint8Array | string>
  /** Listens for interrupts until the returned function is called. */
  onInterrupt(listener: (signal: Interrupt) => void): () => void
  /** The words that start this command: `npx reflex`, `reflex`, or the path of its file. */
  readonly command: string
  readonly version: string
  readonly machine: Machine
  /** False only if the process is certainly gone. */
  isAlive(worker: Worker): boolean
}
