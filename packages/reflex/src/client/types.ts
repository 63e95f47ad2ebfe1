// Written by scripts/client.ts from the schemas of the routes: npm run docs.

/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

export interface Answered {
  readonly question: string
  /** Any JSON */
  readonly value: Json
  readonly by: string
  readonly reason?: string
}

export interface ArchivesImportQuery {
  readonly id?: string
}

export interface CancelledDocument {
  readonly v: 1
  readonly run: string
  /** The effect of the cancellation; late: the run ended before it arrived */
  readonly did: 'cancelled' | 'cancelling' | 'requested' | 'late'
  readonly status: 'running' | 'suspended' | 'completed' | 'failed' | 'cancelled'
  readonly cancelled: {
    readonly by: string
    readonly reason?: string
    readonly record?: number
  }
  /** True if another process owns the run and has not taken the cancellation yet */
  readonly inbox: boolean
  /** The process that was asked to stop the run */
  readonly holder?: {
    readonly pid: number
    readonly host: string
  }
  /** Effects that were pending and may have happened; absent if the journal cannot be read here */
  readonly effects?: readonly {
    readonly key: string
    readonly path: string
    readonly port: string
    readonly name: string
    readonly asked: boolean
    readonly repeat: 'free' | 'keyed' | 'ask'
  }[]
}

/** The causes of a value or a decision */
export interface Cause {
  readonly what: 'value' | 'decision' | 'record' | 'effect' | 'answer' | 'message' | 'start' | 'set' | 'call' | 'node'
  /** A key, the path of a node, or the subject of the cause */
  readonly name: string
  /** The record of the cause */
  readonly record: number
  /** The part of the record, from 1, for a cause inside one: a pass of a graph */
  readonly part?: number
  readonly text?: string
  /** Any JSON */
  readonly value?: Json
  readonly by?: string
  readonly because?: string
  readonly failed?: true
  /** The other edges that could have been chosen */
  readonly open?: readonly string[]
  readonly closed?: readonly {
    readonly way: string
    readonly why: string
  }[]
  /** True if the cause is described above */
  readonly again?: true
  /** The other subject of this name, as an argument of why */
  readonly also?: string
  readonly from: readonly Cause[]
}

export interface ChatSendBody {
  /** The chat, which is the name of its run */
  readonly id: string
  readonly messages: readonly {
    /** A message with the same id is the same message */
    readonly id: string
    readonly role: 'system' | 'user' | 'assistant'
    readonly parts: readonly {
      readonly type: string
      readonly text?: string
      readonly [key: string]: unknown
    }[]
    readonly [key: string]: unknown
  }[]
  readonly trigger?: 'submit-message' | 'regenerate-message'
  readonly messageId?: string
  /** kind:name of the program that the first message starts */
  readonly program?: string
  /** Further input of the program */
  readonly input?: {
    readonly [key: string]: Json
  }
  /** The input that gets the text of the first message */
  readonly as?: string
  /** The topic of later messages, for a run that waits for several */
  readonly topic?: string
}

export interface Compared {
  readonly run: string
  /** The last record that is compared */
  readonly record: number
  readonly records: number
  readonly status: 'running' | 'suspended' | 'completed' | 'failed' | 'cancelled'
}

export interface CostDocument {
  readonly v: 1
  readonly run: string
  readonly record: number
  readonly used: {
    readonly tokens: number
    /** US dollars */
    readonly cost: number
    readonly steps: number
    /** Effects that stated their usage */
    readonly calls: number
    /** Tokens without a price */
    readonly unpriced: number
    /** Milliseconds in which something was in progress */
    readonly time: number
  }
  /** Without what a fork shares with its source */
  readonly own: {
    readonly tokens: number
    /** US dollars */
    readonly cost: number
    readonly steps: number
    /** Effects that stated their usage */
    readonly calls: number
    /** Tokens without a price */
    readonly unpriced: number
  }
  readonly limits: {
    readonly [key: string]: number
  }
  /** The limits that are used up */
  readonly reached: readonly string[]
  /** The usage of each node */
  readonly places: readonly {
    readonly tokens?: number
    /** US dollars */
    readonly cost?: number
    readonly steps?: number
    /** Effects that stated their usage */
    readonly calls?: number
    /** Tokens without a price */
    readonly unpriced?: number
    readonly program: string
    readonly path: string
  }[]
}

export interface DataflowsEventsAnswer {
  readonly v: 1
  readonly run: string
  readonly accepted: number
  readonly refused: readonly {
    readonly index: number
    readonly event_id: string
    readonly code: string
    readonly message: string
  }[]
}

export type DataflowsEventsBody =
  | {
      readonly [key: string]: Json
    }
  | readonly {
      readonly [key: string]: Json
    }[]

export interface DiffDocument {
  readonly v: 1
  readonly one: Compared
  readonly other: Compared
  /** The number of equal records at the beginning */
  readonly equal: number
  readonly differences: readonly {
    readonly what: 'way' | 'node' | 'value' | 'status' | 'result'
    /** The path of a node, a key, or a path inside its value */
    readonly name: string
    /** Any JSON */
    readonly one?: Json
    /** Any JSON */
    readonly other?: Json
    readonly records: {
      readonly one?: number
      readonly other?: number
    }
  }[]
}

export interface DrawnProgram {
  readonly program: string
  readonly kind: string
  /** The changes that the run made to its program: +node, -from->to */
  readonly changes?: readonly string[]
  readonly nodes: readonly {
    readonly id: string
    readonly label?: string
    readonly form: 'step' | 'choice' | 'question' | 'call'
    readonly entry?: true
    readonly end?: true
    readonly calls?: string
    readonly about?: string
    /** The action at the node, in a word */
    readonly deed?: string
    /** True if the node does nothing */
    readonly still?: true
    readonly standing?: 'passed' | 'running' | 'asks' | 'waits' | 'failed'
  }[]
  readonly edges: readonly {
    readonly id: string
    readonly from: string
    readonly to: string
    readonly label?: string
    readonly guard?: string
    readonly standing?: 'taken' | 'open' | 'closed'
    /** The reason why the edge was closed */
    readonly why?: string
  }[]
}

export interface EffectsDocument {
  readonly v: 1
  readonly effects: readonly {
    readonly effect: number | string
    /** The record that requested it: RUN@RECORD */
    readonly address: string
    /** The idempotency key */
    readonly key: string
    readonly program: string
    readonly path: string
    readonly port: string
    /** Any JSON */
    readonly request?: Json
    /** UTC, ISO 8601 */
    readonly requested: string
    readonly attempts: number
    /** The recorded parts of a result that comes in parts */
    readonly parts: number
    readonly outcome: 'open' | 'done' | 'failed' | 'dropped'
    /** UTC, ISO 8601 */
    readonly settled?: string
    /** The record that settled it */
    readonly settledBy?: string
    readonly ms?: number
    /** Any JSON */
    readonly value?: Json
    /** Any JSON */
    readonly error?: Json
    readonly used?: {
      readonly tokens?: number
      /** US dollars */
      readonly cost?: number
      readonly steps?: number
      /** Effects that stated their usage */
      readonly calls?: number
      /** Tokens without a price */
      readonly unpriced?: number
    }
  }[]
  readonly next?: number
}

/** A failure: its message, its place, and a fix */
export interface Fault {
  /** R####; reflex explain CODE shows more */
  readonly code: string
  /** The name of the rule in the specification */
  readonly rule?: string
  readonly message: string
  /** The action that can solve it */
  readonly verdict: 'retry' | 'fail' | 'wait' | 'bug'
  readonly severity?: 'error' | 'warning' | 'info'
  readonly file?: string
  readonly line?: number
  readonly column?: number
  /** The number of characters from the column on */
  readonly length?: number
  /** The lines of the source around the place */
  readonly frame?: string
  /** The path in the program */
  readonly path?: string
  readonly run?: string
  /** The action that solves it */
  readonly fix?: string
  /** The failure behind it, or its message */
  readonly cause?: Json
  /** Any JSON */
  readonly data?: Json
}

export interface Finding {
  /** R####; reflex explain CODE shows more */
  readonly code: string
  /** The name of the rule in the specification */
  readonly rule?: string
  readonly message: string
  /** The action that can solve it */
  readonly verdict: 'retry' | 'fail' | 'wait' | 'bug'
  readonly severity: 'error' | 'warning' | 'info'
  readonly file?: string
  readonly line?: number
  readonly column?: number
  /** The number of characters from the column on */
  readonly length?: number
  /** The lines of the source around the place */
  readonly frame?: string
  /** The path in the program */
  readonly path?: string
  readonly run?: string
  /** The action that solves it */
  readonly fix?: string
  /** The failure behind it, or its message */
  readonly cause?: Json
  /** Any JSON */
  readonly data?: Json
}

export interface ForkDocument {
  readonly v: 1
  readonly run: string
  readonly from: {
    readonly run: string
    readonly record: number
  }
  readonly status: 'running' | 'suspended' | 'completed' | 'failed' | 'cancelled'
  /** The shared records and its own */
  readonly records: number
  /** Effects that are settled in both runs; with settledAfter only those after that record */
  readonly settled: number
  /** The record that sealed the source last; effects before it are settled too, not counted */
  readonly settledAfter?: number
  /** Any JSON */
  readonly set: Json
  /** The trust level of the fork */
  readonly trust: string
  /** The trust level of its source, if it differs */
  readonly trustBefore?: string
  /** True if nothing leaves this machine */
  readonly simulated: boolean
  readonly decided?: {
    readonly place: string
    readonly chose: string
    readonly was?: {
      readonly chose: string
      readonly by?: string
    }
  }
  /** The actions of the fork once it is resumed */
  readonly next: {
    readonly first: readonly string[]
    readonly later: readonly string[]
  }
}

export interface GraphDocument {
  readonly v: 1
  readonly run?: {
    readonly id: string
    readonly record: number
    readonly status: 'running' | 'suspended' | 'completed' | 'failed' | 'cancelled'
  }
  readonly programs: readonly DrawnProgram[]
}

export interface HealthAnswer {
  readonly v: 1
  readonly status: 'ok'
}

export interface HooksDeliverAnswer {
  readonly v: 1
  readonly did: 'started' | 'sent' | 'ignored'
  readonly run?: string
}

export interface HooksListAnswer {
  readonly v: 1
  readonly hooks: readonly {
    readonly name: string
    readonly scheme: string
  }[]
  readonly subscriptions: readonly {
    readonly name: string
    readonly url: string
  }[]
}

export interface ImportedDocument {
  readonly v: 1
  readonly run: string
  readonly program: Program
  readonly status: 'running' | 'suspended' | 'completed' | 'failed' | 'cancelled'
  readonly records: number
  /** The first record, if it is not the first of the run */
  readonly from?: number
  /** The hash of the archive with the records before the first one */
  readonly earlier?: string
  /** Nothing of it is due, and no worker continues it */
  readonly part?: true
  /** unchecked: no secret was given */
  readonly signature: 'checked' | 'unchecked' | 'none'
  /** Messages in the inbox of the run that no record has taken yet */
  readonly messages: number
}

export interface InboxDocument {
  readonly v: 1
  readonly questions: readonly Question[]
}

export interface Line {
  readonly record: number
  /** UTC, ISO 8601 */
  readonly time: string
  /** The path of the frame */
  readonly path: string
  /** The path of the node */
  readonly place: string
  /** The branch, if there are several in parallel */
  readonly branch?: string
  readonly depth: number
  readonly mark: string
  readonly node?: string
  readonly text?: string
  readonly effect?: number | string
  /** Any JSON */
  readonly facts?: Json
}

export interface PipelinesAnswerAliasAnswer {
  readonly [key: string]: Json
}

export interface PipelinesAnswerAliasBody {
  readonly id: string
  readonly question: string
  readonly value: Json
}

export interface PipelinesAnswerAnswer {
  readonly [key: string]: Json
}

export type PipelinesAnswerBody =
  | {
      readonly value: Json
    }
  | {
      readonly selected: Json
    }
  | {
      readonly text: string
    }

export interface PipelinesCancelAnswer {
  readonly [key: string]: Json
}

export interface PipelinesCheckpointAnswer {
  readonly [key: string]: Json
}

export interface PipelinesContextAnswer {
  readonly [key: string]: Json
}

export interface PipelinesGetAnswer {
  readonly [key: string]: Json
}

export interface PipelinesGraphQuery {
  readonly format?: 'svg' | 'dot' | 'json'
}

export interface PipelinesListAnswer {
  readonly pipelines: readonly {
    readonly [key: string]: Json
  }[]
}

export interface PipelinesQuestionsAnswer {
  readonly [key: string]: Json
}

export interface PipelinesRunAnswer {
  readonly id: string
  readonly status: string
  readonly diagnostics: readonly {
    readonly [key: string]: Json
  }[]
}

export type PipelinesRunBody =
  | string
  | {
      readonly dot: string
      readonly goal?: string
      readonly inputs?: {
        readonly [key: string]: Json
      }
      /** Other fields of a start: id, limits, simulate, wait */
      readonly options?: {
        readonly [key: string]: Json
      }
    }

export interface PipelinesSignalAnswer {
  readonly [key: string]: Json
}

export interface PipelinesStartAnswer {
  readonly id: string
  readonly status: string
  readonly diagnostics: readonly {
    readonly [key: string]: Json
  }[]
}

export type PipelinesStartBody =
  | string
  | {
      readonly dot: string
      readonly goal?: string
      readonly inputs?: {
        readonly [key: string]: Json
      }
      /** Other fields of a start: id, limits, simulate, wait */
      readonly options?: {
        readonly [key: string]: Json
      }
    }

export interface PipelinesStatusAnswer {
  readonly [key: string]: Json
}

export interface PipelinesStatusQuery {
  readonly id: string
}

export interface PolicyCheckAnswer {
  readonly verdict: 'allow' | 'deny' | 'needs_promotion'
  readonly reason: string
  readonly policy_version: string
  readonly ttl_s: number
}

export interface PolicyCheckBody {
  readonly sdk: string
  readonly project: string
  readonly schema: 1
  readonly env: string
  readonly principal: {
    readonly id: string
    readonly roles: readonly string[]
  }
  readonly skill: {
    readonly id: string
    readonly version: string
    readonly content_hash: string
  }
  /** What the skill changes, as its manifest says */
  readonly effects: readonly string[]
  /** The digest of the arguments that are not sensitive */
  readonly args_fingerprint: string
  /** The names of the others */
  readonly sensitive_args: readonly string[]
}

export interface Program {
  readonly name: string
  readonly kind: string
  readonly hash: string
}

export interface ProgramsCheckAnswer {
  readonly v: 1
  readonly findings: readonly Finding[]
}

export interface ProgramsCheckBody {
  /** The text of a program file */
  readonly text: string
  /** The name of the file, which shows its kind */
  readonly name?: string
  readonly kind?: string
}

export interface ProgramsGetAnswer {
  readonly v: 1
  readonly kind: string
  readonly name: string
  readonly hash: string
  /** Any JSON */
  readonly source: Json
}

export interface ProgramsGraphQuery {
  /** svg and dot are texts */
  readonly format?: 'json' | 'svg' | 'dot'
}

export interface ProgramsListAnswer {
  readonly v: 1
  readonly programs: readonly {
    readonly kind: string
    readonly name: string
    readonly about?: string
  }[]
}

export interface PromotionsAskAnswer {
  readonly promotion_id: string
  readonly status: 'queued'
}

export interface PromotionsAskBody {
  readonly sdk: string
  readonly project: string
  readonly schema: 1
  readonly skill: {
    readonly id: string
    readonly version: string
    readonly content_hash: string
  }
  readonly from_env: string
  readonly to_env: string
  readonly ci_report: {
    readonly passed: boolean
    readonly unit: readonly [number, number]
    readonly fuzz: readonly [number, number]
    readonly security: boolean
    readonly delta_cost: number
  }
  readonly requested_by: string
  /** The skill itself, for a control plane that does not have it */
  readonly manifest?: {
    readonly [key: string]: Json
  }
}

export interface PromotionsGetAnswer {
  readonly status: 'passed' | 'failed' | 'running'
  readonly environments: readonly {
    readonly env: string
    readonly unit: readonly [number, number]
    readonly fuzz: readonly [number, number]
    readonly report_url?: string
  }[]
  readonly reason: string
}

export interface Question {
  /** The address: RUN/q1 */
  readonly id: string
  readonly run: string
  /** The program of the run; in lists of questions of several runs */
  readonly program?: Program
  readonly name: string
  /** Reflex itself asks about this; absent: the program asks */
  readonly asker?: 'outcome' | 'edge' | 'retry' | 'budget' | 'permission'
  readonly path: string
  readonly text: string
  readonly options?: readonly {
    readonly value: string
    readonly label?: string
    readonly detail?: string
    /** A key that also chooses it */
    readonly key?: string
    /** Other names that choose it */
    readonly also?: readonly string[]
  }[]
  /** JSON Schema of the answer */
  readonly schema?: Json
  /** UTC, ISO 8601 */
  readonly since: string
  /** UTC, ISO 8601 */
  readonly due?: string
  /** The answer that is used if none comes in time */
  readonly otherwise?: Json
  /** Facts for the person who answers */
  readonly about?: Json
  /** The failure after which the question asks to try again */
  readonly error?: Fault
}

export interface QuestionsAnswerAnswer {
  readonly v: 1
  readonly answered: Answered
}

export interface QuestionsAnswerBody {
  readonly value: Json
  readonly reason?: string
}

export interface ReadyAnswer {
  readonly v: 1
  readonly status: 'ok'
  readonly version: string
}

export interface RecordDocument {
  readonly v: 1
  readonly run: string
  readonly record: number
  /** UTC, ISO 8601 */
  readonly time: string
  readonly frame: string
  /** Any JSON */
  readonly input?: Json
  readonly writes?: readonly {
    readonly key: string
    /** Any JSON */
    readonly value: Json
  }[]
  /** Any JSON */
  readonly position?: Json
  readonly requests?: readonly {
    readonly effect: string
    readonly port: string
    /** Any JSON */
    readonly args?: Json
    readonly key?: string
  }[]
  readonly [key: string]: unknown
}

export interface ResultDocument {
  readonly v: 1
  readonly run: string
  readonly trace?: string
  readonly program?: Program
  readonly status: 'running' | 'suspended' | 'completed' | 'failed' | 'cancelled'
  readonly records: number
  /** UTC, ISO 8601 */
  readonly started?: string
  /** UTC, ISO 8601 */
  readonly updated: string
  /** Any JSON */
  readonly value?: Json
  /** A failure: its message, its place, and a fix */
  readonly error?: Fault
  readonly questions: readonly Question[]
  readonly answered?: Answered
}

export interface Run {
  readonly id: string
  readonly trace: string
  readonly program: Program
  readonly status: 'running' | 'suspended' | 'completed' | 'failed' | 'cancelled'
  readonly records: number
  /** UTC, ISO 8601 */
  readonly started: string
  /** UTC, ISO 8601 */
  readonly updated: string
  /** UTC, ISO 8601 */
  readonly due?: string
  readonly waits: readonly {
    readonly type: 'answer' | 'message' | 'timer' | 'process'
    readonly name?: string
    readonly path?: string
    /** UTC, ISO 8601 */
    readonly since?: string
    /** UTC, ISO 8601 */
    readonly due?: string
    /** Milliseconds between two times of a timer that stays open; due is the next one as of the last record */
    readonly everyMs?: number
    readonly question?: string
  }[]
  /** Absent for a run that was never sealed */
  readonly segments?: number
  /** US dollars; absent where no effect has stated a usage */
  readonly cost?: number
  readonly tokens?: number
  /** The tokens that have no price */
  readonly unpriced?: number
  /** The process that owns the run */
  readonly process?: {
    readonly pid: number
    readonly host: string
  }
  /** Any JSON */
  readonly value?: Json
  /** Any JSON */
  readonly error?: Json
}

export interface RunsCancelAllAnswer {
  readonly v: 1
  readonly cancelled: readonly string[]
  readonly failed: readonly {
    readonly run: string
    /** A failure: its message, its place, and a fix */
    readonly error: Fault
  }[]
  readonly next?: string
}

export interface RunsCancelAllBody {
  readonly filter: {
    readonly kind?: string
    /** kind:name */
    readonly program?: string
    readonly status?: 'running' | 'suspended'
    /** The beginning of their ids */
    readonly prefix?: string
    /** Only runs that changed since then */
    readonly since?: string
    /** Only runs that have not changed since then */
    readonly until?: string
  }
  readonly reason?: string
  /** True: only lists the runs */
  readonly dry?: boolean
  readonly limit?: number
  /** next of the answer before */
  readonly after?: string
}

export interface RunsCancelBody {
  readonly reason?: string
}

export interface RunsChatQuery {
  readonly after?: number
}

export interface RunsDiffQuery {
  readonly one: string
  readonly other: string
}

export interface RunsEffectsQuery {
  readonly from?: number
  readonly limit?: number
}

export interface RunsEventsOfAllQuery {
  /** A status, or several with commas: running, suspended, completed, failed, cancelled */
  readonly status?: string
  readonly kind?: string
  /** kind:name */
  readonly program?: string
}

export interface RunsEventsQuery {
  readonly after?: number
}

export interface RunsForkBody {
  /** A record: the run as it was after it */
  readonly at?: number
  readonly id?: string
  readonly set?: {
    readonly [key: string]: Json
  }
  readonly decide?: string
  readonly trust?: 'untrusted' | 'probationary' | 'trusted' | 'veteran' | 'autonomous'
  readonly simulate?: boolean
}

export interface RunsGetQuery {
  /** A record: the run as it was after it */
  readonly at?: number
}

export interface RunsGraphQuery {
  /** A record: the run as it was after it */
  readonly at?: number
  /** svg and dot are texts */
  readonly format?: 'json' | 'svg' | 'dot'
}

export interface RunsListAnswer {
  readonly v: 1
  readonly runs: readonly Run[]
  readonly more: boolean
  /** The cursor of the next page */
  readonly next?: string
}

export interface RunsListQuery {
  /** A status, or several with commas: running, suspended, completed, failed, cancelled */
  readonly status?: string
  readonly kind?: string
  /** kind:name */
  readonly program?: string
  /** Runs that changed at this time or later */
  readonly since?: string
  /** Runs that last changed before this time */
  readonly until?: string
  /** `next` of the page before */
  readonly cursor?: string
  readonly limit?: number
}

export interface RunsRecordsAnswer {
  readonly v: 1
  readonly records: readonly RecordDocument[]
  readonly next?: number
}

export interface RunsRecordsQuery {
  readonly from?: number
  readonly limit?: number
}

export interface RunsResumeBody {
  readonly [key: string]: never
}

export interface RunsSignalBody {
  readonly value?: Json
}

export interface RunsStartBody {
  /** kind:name of a program that the server has, or a text */
  readonly program:
    | string
    | {
        /** The text of a program file */
        readonly text: string
        /** The name of the file, which shows its kind */
        readonly name?: string
        readonly kind?: string
      }
  readonly input?: {
    readonly [key: string]: Json
  }
  readonly id?: string
  readonly limits?: {
    readonly steps?: number
    /** Milliseconds */
    readonly time?: number
    readonly tokens?: number
    /** US dollars */
    readonly cost?: number
  }
  readonly simulate?: boolean
  /** With a cluster: the queue in which the run waits for a worker */
  readonly queue?: string
  /** With a cluster: the customer for whom the run works */
  readonly tenant?: string
  /** With a cluster: a lower number goes first */
  readonly priority?: number
  /** With a cluster: what a worker must have, as its --has says */
  readonly needs?: readonly string[]
  /** True: answers when the run rests, not at once */
  readonly wait?: boolean
}

export interface RunsTraceQuery {
  /** A record: the run as it was after it */
  readonly at?: number
  /** A record: the run as it was after it */
  readonly from?: number
  readonly tail?: number
}

export interface RunsWhyQuery {
  readonly what?: string
  readonly node?: string
  /** A record: the run as it was after it */
  readonly at?: number
  readonly part?: number
}

export interface ScheduleDocument {
  readonly v: 1
  readonly schedule: {
    readonly name: string
    readonly cron: string
    readonly zone: string
    readonly program: string
    readonly input?: {
      readonly [key: string]: Json
    }
    readonly missed: string
    readonly most: number
    readonly overlap: string
    readonly paused: boolean
    readonly queue?: string
    readonly tenant?: string
    readonly priority?: number
    readonly needs?: readonly string[]
    readonly declared: 'file' | 'store'
    /** The next times */
    readonly next: readonly string[]
    readonly last?: {
      readonly time: string
      readonly did: string
      readonly run?: string
      /** A failure: its message, its place, and a fix */
      readonly error?: Fault
    }
  }
}

export interface SchedulesAddBody {
  readonly cron: string
  /** A time zone: Europe/Berlin */
  readonly zone?: string
  /** kind:name */
  readonly program: string
  readonly input?: {
    readonly [key: string]: Json
  }
  /** The times that passed while no server was there */
  readonly missed?: 'skip' | 'last' | 'all'
  /** The most missed times that are made up for with all */
  readonly most?: number
  /** What is done at a time if the run of the previous time has not ended */
  readonly overlap?: 'allow' | 'skip' | 'cancel'
  readonly paused?: boolean
  /** With a cluster: the queue in which the run waits for a worker */
  readonly queue?: string
  /** With a cluster: the customer for whom the run works */
  readonly tenant?: string
  /** With a cluster: a lower number goes first */
  readonly priority?: number
  /** With a cluster: what a worker must have, as its --has says */
  readonly needs?: readonly string[]
  /** Letters, digits, dots, hyphens and underscores */
  readonly name: string
}

export interface SchedulesDocument {
  readonly v: 1
  readonly schedules: readonly {
    readonly name: string
    readonly cron: string
    readonly zone: string
    readonly program: string
    readonly input?: {
      readonly [key: string]: Json
    }
    readonly missed: string
    readonly most: number
    readonly overlap: string
    readonly paused: boolean
    readonly queue?: string
    readonly tenant?: string
    readonly priority?: number
    readonly needs?: readonly string[]
    readonly declared: 'file' | 'store'
    /** The next times */
    readonly next: readonly string[]
    readonly last?: {
      readonly time: string
      readonly did: string
      readonly run?: string
      /** A failure: its message, its place, and a fix */
      readonly error?: Fault
    }
  }[]
}

export interface SchedulesPauseAnswer {
  readonly v: 1
  readonly name: string
  readonly paused: boolean
}

export interface SchedulesPauseBody {
  readonly paused?: boolean
}

export interface SchedulesRemoveAnswer {
  readonly v: 1
  readonly removed: string
}

/** Records of a run from one seal to the next */
export interface Segment {
  readonly number: number
  readonly first: number
  readonly last: number
  /** gone: its records are only in an archive */
  readonly place: 'open' | 'rows' | 'packed' | 'gone'
  /** The hash of that archive */
  readonly archive?: string
}

export interface ShowDocument {
  readonly v: 1
  readonly run: Run
  readonly record: number
  /** UTC, ISO 8601 */
  readonly time: string
  /** Absent for a run that was never sealed */
  readonly segments?: readonly Segment[]
  readonly stack: readonly {
    readonly program: string
    readonly node?: string
    readonly branch?: string
  }[]
  /** The stacks of parallel branches */
  readonly branches?: readonly (readonly {
    readonly program: string
    readonly node?: string
    readonly branch?: string
  }[])[]
  readonly nodes?: readonly {
    readonly path: string
    readonly depth: number
    readonly mark: 'open' | 'running' | 'done' | 'failed' | 'waits'
    readonly text?: string
    readonly ms?: number
  }[]
  readonly failures?: readonly {
    readonly node: string
    readonly text: string
    readonly isRecovered: boolean
    readonly time: string
  }[]
  readonly choices: readonly {
    readonly id: string
    readonly label: string
    readonly open: boolean
    readonly why?: string
    readonly when?: string
  }[]
  readonly board: readonly {
    readonly key: string
    /** Any JSON */
    readonly value: Json
    readonly node?: string
    readonly record: number
    /** More facts about the entry */
    readonly known?: string
    /** The actor who set it, if no node wrote it */
    readonly by?: string
  }[]
  /** Present for a run that keeps no contents */
  readonly replayable?: 'decisions'
  /** Calls that have not begun because the queue of an operator has no room; absent if there is none */
  readonly waiting?: readonly {
    readonly path: string
    readonly queue: string
  }[]
  /** The questions that were open at the record */
  readonly questions: readonly Question[]
  /** Messages that no record has taken; if the run has ended, no record will */
  readonly inbox: readonly {
    readonly type: 'answer' | 'message' | 'cancel'
    readonly to: string
    /** Any JSON */
    readonly value: Json
    readonly by?: string
    readonly reason?: string
    /** UTC, ISO 8601 */
    readonly time: string
    readonly damaged?: string
  }[]
}

export interface SignalledDocument {
  readonly v: 1
  readonly run: string
  readonly signal: {
    readonly topic: string
    /** Any JSON */
    readonly value: Json
    readonly by: string
  }
  readonly inbox: true
}

export interface SkillsSyncAnswer {
  readonly cursor: number
  readonly skills: readonly {
    readonly manifest: {
      readonly id: string
      readonly version: string
      readonly [key: string]: unknown
    }
    readonly content_hash: string
    readonly state: 'active' | 'deprecated' | 'revoked'
    /** The person who approved it */
    readonly approved_by?: string
    /** Ed25519 over the content hash, base64 */
    readonly signature?: string
    readonly prompts?: {
      readonly [key: string]: string
    }
    /** Its unit cases */
    readonly cases?: readonly Json[]
  }[]
}

export interface SkillsSyncQuery {
  readonly project: string
  readonly env?: string
  /** The cursor of the last answer */
  readonly since?: number
}

export interface TelemetryListAnswer {
  readonly v: 1
  readonly skills: readonly {
    readonly skill_id: string
    readonly version: string
    readonly calls: number
    readonly success: number
    readonly delta_cost: number | null
    /** Milliseconds */
    readonly delta_p95: number | null
    readonly fallback: number
    readonly clarify: number
    readonly denied: number
  }[]
}

export interface TelemetryListQuery {
  readonly project: string
  readonly env?: string
}

export interface TelemetryReportAnswer {
  readonly v: 1
  readonly accepted: number
}

export interface TelemetryReportBody {
  readonly sdk: string
  readonly project: string
  readonly schema: 1
  readonly env: string
  readonly window: {
    readonly from: string
    readonly to: string
  }
  readonly skills: readonly {
    readonly skill_id: string
    readonly version: string
    readonly calls: number
    readonly success: number
    readonly delta_cost: number | null
    /** Milliseconds */
    readonly delta_p95: number | null
    readonly fallback: number
    readonly clarify: number
    readonly denied: number
  }[]
}

export interface TraceDocument {
  readonly v: 1
  readonly run: Run
  /** The actor who started the run */
  readonly by?: string
  /** The input of the run */
  readonly input?: Json
  /** The first record of the lines, if it is not the first of the run */
  readonly from?: number
  /** Present for a run that keeps no contents */
  readonly replayable?: 'decisions'
  /** The last record that is no longer in the store, and the hash of the archive with the records up to it */
  readonly gone?: {
    readonly last: number
    readonly archive?: string
  }
  readonly lines: readonly Line[]
}

export interface TreesBlackboardAnswer {
  readonly [key: string]: Json
}

export interface TreesBreakAnswer {
  readonly [key: string]: Json
}

export interface TreesBreakBody {
  readonly node_id: string
  readonly condition?: string
  readonly enabled?: boolean
}

export interface TreesBreakpointsAnswer {
  readonly [key: string]: Json
}

export interface TreesClearAnswer {
  readonly [key: string]: Json
}

export interface TreesGetAnswer {
  readonly [key: string]: Json
}

export interface TreesHistoryAnswer {
  readonly [key: string]: Json
}

export interface TreesHistoryQuery {
  readonly node?: string
  readonly status?: 'FRESH' | 'RUNNING' | 'SUCCESS' | 'FAILURE'
  readonly limit?: number
  readonly offset?: number
}

export interface TreesListAnswer {
  readonly trees: readonly {
    readonly [key: string]: Json
  }[]
}

export interface TreesUnbreakAnswer {
  readonly [key: string]: Json
}

export interface TreesUnbreakQuery {
  readonly node_id: string
}

export interface TreesValidateAnswer {
  readonly [key: string]: Json
}

export interface TreesValidateBody {
  readonly text: string
  readonly name?: string
}

export interface TreesVisualizationQuery {
  readonly format?: 'dot' | 'json' | 'svg'
}

export interface WhyDocument {
  readonly v: 1
  readonly run: string
  readonly cause: Cause
}
