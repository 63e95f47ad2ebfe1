import { memoryStore } from '../../store/index.ts'
import type { Wait, Host, Json, Kind, Policy, Port, Run, SettingsCodec, Store } from '../../kernel/index.ts'

/** A program of a subject. */
export interface SubjectProgram {
  readonly kind: string
  readonly id: string
  readonly source: Json
}

/** The answers and messages that people and other programs send to a run. */
export interface Script {
  /** Returns the answer of a person to an open question; undefined leaves it open. It must depend only on the question. */
  readonly answer?: (wait: Wait) => Json | undefined
  /** Messages that are sent at the beginning. Each waits in the inbox until the run waits for its topic. */
  readonly messages?: readonly { readonly topic: string; readonly body: Json }[]
  /**
   * The user's own code, for kinds that are driven from outside. It is called when the run rests and the script has nothing else to give.
   * Returns false if it had nothing to do. After a crash it starts again from its first line.
   */
  readonly drive?: (run: Run) => Promise<boolean>
}

/** A kind with programs that show its features, and the world in which they run. */
export interface KindSubject {
  readonly name: string
  readonly kinds: readonly Kind[]
  /** The programs; the first one runs. */
  readonly programs: readonly SubjectProgram[]
  readonly args?: Json
  /** The reason why the result depends on random draws, if it does. A fork draws other values and must only end with the same status. */
  readonly draws?: string
  /** The fields of positions, boards and values that hold times. A fault can change them, so they are not compared. */
  readonly times?: readonly string[]
  /** The reason why the end depends on how much time passes, if it does. It may then end otherwise after the clock has jumped. */
  readonly limitsTime?: string
  /** Returns a position without the times that are not fields, such as the items of a list. */
  readonly timeless?: (position: Json) => Json
  /**
   * Returns the ports of the world, once for each life of the process. The result of a port must depend only on its arguments and key. A
   * port that fails only at its first call changes its answer when a crash repeats the call, and the suite then reports a bug of the world.
   */
  readonly ports?: (store: Store, host: Host) => Readonly<Record<string, Port>>
  /** Returns the policy of a life, after its ports. */
  readonly policy?: () => Policy | undefined
  /** The settings of its runs; none if absent. */
  readonly settings?: SettingsCodec
  readonly script?: Script
  /** Opens a new store, for each run that the suite plays. Default: in memory. */
  readonly store?: () => Store
  /** Returns a program of this kind that calls the program of this name, isolated or not, and shows its value at its own end. */
  readonly calling?: (callee: string) => Json
}

/** The end of a run. It must be the same however often the process died. */
export interface Outcome {
  readonly status: string
  readonly value: Json | null
  readonly board: Readonly<Record<string, Json>>
}

/** Returns an empty store of the subject. */
export function newStore({ store }: KindSubject): Store {
  return store?.() ?? memoryStore()
}
