import type { z } from 'zod'
import type { Change, Definitions, Host, Json, JsonObject, NumberedRecord, Programs, Rec, RunRow, State } from '../kernel/index.ts'

/** What a token allows. Each scope is granted by itself; `admin` also allows everything else. */
export const SCOPES = ['read', 'answer', 'start', 'admin'] as const
export type Scope = (typeof SCOPES)[number]

/** The holder of a token. The name is the actor in records. */
export interface Principal {
  readonly name: string
  readonly scopes: ReadonlySet<Scope>
}

/** The parts of a request that do not depend on its route. */
export interface RequestOrigin {
  readonly principal: Principal
  /** Returns a header, by its name in lower case. */
  readonly header: (name: string) => string | undefined
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal
}

/** A request that fits the schemas of its route. */
export interface RouteRequest<Path = object, Query = object, Body = unknown> extends RequestOrigin {
  readonly path: Path
  readonly query: Query
  readonly body: Body
}

/** An event of a stream. With the id of the last one that arrived, a client continues the stream. */
export interface StreamedEvent {
  readonly id?: string
  readonly event?: string
  /** A text is one line and is sent as it is. Absent: only the id is sent, with which a client continues that received nothing else. */
  readonly data?: JsonObject | string
}

/** The answer to a request. */
export type RouteAnswer =
  | { readonly status?: number; readonly json: JsonObject; readonly headers?: Readonly<Record<string, string>> }
  | { readonly status?: number; readonly text: string; readonly type: string; readonly headers?: Readonly<Record<string, string>> }
  /** Lines without line ends. They are sent as fast as the client reads. */
  | { readonly lines: AsyncIterable<string>; readonly type: string }
  | { readonly events: AsyncIterable<StreamedEvent>; readonly headers?: Readonly<Record<string, string>> }

/** The parts of the server that the routes of a kind use. */
export interface RouteWorld {
  /** Passes a request on to another route, by its name, with another path, query and body. The scope of this route counts. */
  readonly call: (
    name: string,
    parts: { readonly path?: object; readonly query?: object; readonly body?: unknown },
    request: RequestOrigin,
  ) => Promise<RouteAnswer>
  /** Returns a stored run as it is after a record; by default after the last one. Throws `R2016`, and `R2021` for an unknown record. */
  readonly peek: (address: string) => Promise<{ readonly row: RunRow; readonly state: State; readonly definitions: Definitions }>
  readonly host: Host
  readonly programs: Programs
  /** Yields the durable records of a run after record `after`, and then those that follow, until the run has ended or the signal is aborted. */
  readonly follow: (run: string, after: number, signal: AbortSignal) => AsyncIterable<{ readonly n: number; readonly record: Rec }>
  /** Sends a command of the host to the root of a run and resumes the run. Returns false if another process owns it. */
  readonly command: (run: string, command: Json) => Promise<boolean>
  /** Applies the records of a run that the store has, and yields what each has changed. */
  readonly changes: (run: string) => AsyncIterable<Change>
  /** Reads the records of a run from one to another, by default to the last one. */
  readonly records: (run: string, from?: number, until?: number) => AsyncIterable<NumberedRecord>
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/**
 * One request that the server answers. The schemas check requests, and the API page and the client are made from them.
 * A kind brings its own routes with its module.
 */
export interface Route<
  World = RouteWorld,
  Path extends z.ZodType<object> = z.ZodType<object>,
  Query extends z.ZodType<object> = z.ZodType<object>,
  Body extends z.ZodType = z.ZodType,
> {
  /** Unique among all routes: `runs.cancel`. */
  readonly name: string
  readonly method: Method
  /** The path with its parameters: `/v1/runs/{run}/cancel`. */
  readonly url: string
  /** One sentence for the API page. */
  readonly does: string
  /** Absent: no token is needed. */
  readonly scope?: Scope
  readonly path?: Path
  readonly query?: Query
  /** Absent: the request has no body. */
  readonly body?: Body
  /** The most bytes of a body, where they are fewer than those of the server. */
  readonly maxBody?: number
  /** Other types of a body than JSON. Such a body is a text. */
  readonly takes?: readonly string[]
  /** True: a request with the same `Idempotency-Key` is performed once. */
  readonly keyed?: true
  /** Other types of an answer than JSON. Such an answer is a text. */
  readonly gives?: readonly string[]
  /** The schema of the answer by status; a media type for what is not JSON. */
  readonly answers: Readonly<Record<number, z.ZodType | string>>
  handle(request: RouteRequest<z.output<Path>, z.output<Query>, z.output<Body>>, world: World): Promise<RouteAnswer> | RouteAnswer
}

/** Returns a route of a kind; its handler sees the types of its schemas. */
export function defineRoute<
  Path extends z.ZodType<object> = z.ZodType<object>,
  Query extends z.ZodType<object> = z.ZodType<object>,
  Body extends z.ZodType = z.ZodType,
>(definition: Route<RouteWorld, Path, Query, Body>): Route {
  return definition
}
