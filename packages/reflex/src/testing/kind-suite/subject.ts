import type { Wait } from '../../kernel/state/frame.ts'
import type { Host } from '../../kernel/ports/host.ts'
import type { Json } from '../../kernel/journal/json.ts'
import type { Kind } from '../../kernel/step/kind.ts'
import type { Port } from '../../kernel/ports/port.ts'
import type { Run } from '../../kernel/run/run.ts'
import type { SettingsCodec } from '../../kernel/ports/settings.ts'
import type { Store } from '../../kernel/ports/store.ts'

/** A program of a subject. */
export interface SubjectProgram {
  readonly kind: string
  readonly id: string
  readonly source: Json
}

/** What people and other programs tell a run. */
export interface Script {
  /** What a person answers to an open question; nothing to leave it open. A function of the question alone. */
  readonly answer?: (wait: Wait) => Json | undefined
  /** Messages told at the beginning: each waits in the inbox until the run waits for its topic. */
  readonly messages?: readonly { readonly topic: string; readonly body: Json }[]
  /**
   * The user's own code, for kinds that are driven from outside: called when the run rests and nothing else is to
   * be told. Answers false if it had nothing to do. After a crash it starts over from its first line.
   */
  readonly drive?: (run: Run) => Promise<boolean>
}

/** A kind with programs that show what it can do, and the world in which they run. */
export interface KindSubject {
  readonly name: string
  readonly kinds: readonly Kind[]
  /** The first is the one that runs. */
  readonly programs: readonly SubjectProgram[]
  readonly args?: Json
  /** Why what it comes to depends on random draws, if it does: a fork draws otherwise, and need only end in the same way. */
  readonly draws?: string
  /** Fields of its positions, boards and values that hold times, which a fault may move: they are not compared. */
  readonly times?: readonly string[]
  /**
   * The world, asked for anew in each life of the process. What a port answers must be a function of its arguments
   * and key: a service that fails the first time only changes its answer when a crash repeats the call, and the
   * suite would report the world's bug.
   */
  readonly ports?: (store: Store, host: Host) => Readonly<Record<string, Port>>
  /** The settings of its runs; none if absent. */
  readonly settings?: SettingsCodec
  readonly script?: Script
  /** A program of this kind that calls the program of this name, isolated or not, and lets its value be seen at its own end. */
  readonly calling?: (callee: string) => Json
}

/** How a run ended: what must be the same however often the process died on the way. */
export interface Outcome {
  readonly status: string
  readonly value: Json | null
  readonly board: Readonly<Record<string, Json>>
}
