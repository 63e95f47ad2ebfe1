/** The parts of the server's documents that the page reads (`protocol/shapes.ts` has the whole). */

export type Json = string | number | boolean | null | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json | undefined
}

export interface QuestionOption {
  readonly value: string
  readonly label?: string
  readonly detail?: string
  readonly key?: string
}

export interface Question {
  /** The address: `otter-2m9q/q1`. */
  readonly id: string
  readonly run: string
  readonly program?: { readonly name: string; readonly kind: string }
  /** Reflex itself asks about this. Absent: the program asks. */
  readonly asker?: string
  readonly path: string
  readonly text: string
  readonly options?: readonly QuestionOption[]
  readonly schema?: JsonObject
  readonly since: string
  readonly due?: string
  readonly otherwise?: Json
  readonly about?: Json
  readonly error?: Fault
}

export interface Fault {
  readonly code: string
  readonly message: string
  readonly fix?: string
  readonly data?: {
    readonly options?: readonly string[]
    readonly problems?: readonly Problem[]
  }
}

/** A part of an answer that does not match its schema. */
export interface Problem {
  readonly path: readonly (string | number)[]
  readonly message: string
}

/** A question that is no longer open. */
export interface Closed {
  /** The address of the question. */
  readonly question: string
  /** `answer`, by somebody, `expired`, `ended` with its run, or `dropped` by its program. Absent: unknown. */
  readonly why?: string
  readonly value?: Json
  readonly by?: string
  readonly reason?: string
}

export interface Line {
  readonly record: number
  readonly time: string
  readonly place: string
  readonly depth: number
  readonly mark: string
  readonly node?: string
  readonly text?: string
  readonly facts?: JsonObject
}

export interface Trace {
  readonly run: { readonly id: string; readonly program: { readonly name: string; readonly kind: string }; readonly started: string }
  readonly by?: string
  readonly input?: JsonObject
  /** The first record of the lines, if it is not the first of the run. */
  readonly from?: number
  readonly lines: readonly Line[]
}

/** An answer of the server: its status and its document. */
export interface Reply {
  readonly status: number
  readonly body: JsonObject
}
