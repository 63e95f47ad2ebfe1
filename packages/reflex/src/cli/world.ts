import type { Surroundings } from '../app/host.ts'
import type { Worker } from '../kernel/index.ts'

/** A destination of text. */
export interface Sink {
  write(text: string): void
  /** True if a person reads it on a terminal that can move its cursor. */
  readonly terminal: boolean
  /** The width of the terminal; undefined or 0 if unknown. */
  readonly columns: number | undefined
  /** The height of the terminal; absent or 0 if unknown. */
  readonly rows?: number | undefined
}

/** A key that was pressed, or text that was pasted. */
export interface Key {
  /** The name: `return`, `up`, `escape`, `backspace`, or the letter. */
  readonly name: string | undefined
  readonly text: string
  readonly ctrl: boolean
}

/** A signal that ends the command. */
export type Interrupt = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

/** The machine that a command runs on. */
export interface Machine {
  /** The version of Node, such as `24.21.0`. */
  readonly node: string
  /** The system, such as `linux x64`. */
  readonly system: string
  /** The user's home folder. */
  readonly home: string
}

/** The environment of a command: `cli/host.ts` makes it from the process, and tests make it from plain objects. */
export interface World {
  readonly surroundings: Surroundings
  /** The sink for results. */
  readonly out: Sink
  /** The sink for progress, questions and faults. */
  readonly err: Sink
  /** Passes pressed keys to a listener until the returned function is called; undefined if there is no keyboard. */
  readonly keyboard: ((listener: (key: Key) => void) => () => void) | undefined
  /**
   * Writes stored text to standard output, byte by byte as it is stored: its secrets were removed before it was
   * recorded, and any change would break its hashes. Resolves with true once the text is written, and with false once
   * nobody reads.
   */
  send(text: string): Promise<boolean>
  /** Returns all of standard input. */
  readInput(): Promise<string>
  /** Returns standard input in parts, for content that may be larger than a string. */
  receive(): AsyncIterable<Uint8Array | string>
  /** Listens for interrupts until the returned function is called. */
  onInterrupt(listener: (signal: Interrupt) => void): () => void
  /** The words that start this command: `npx reflex`, `reflex`, or the path of its file. */
  readonly command: string
  readonly version: string
  readonly machine: Machine
  /** Returns false only if the process is certainly gone. */
  isAlive(worker: Worker): boolean
}
