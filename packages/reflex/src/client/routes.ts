// Written by scripts/client.ts from the schemas of the routes: npm run docs.
import { type StreamEvent, type StreamOptions, streamOf } from './stream.ts'
import { type CallOptions, type ClientOptions, Transport } from './transport.ts'
import type {
  ArchivesImportQuery,
  CancelledDocument,
  ChatSendBody,
  CostDocument,
  DataflowsEventsAnswer,
  DataflowsEventsBody,
  DiffDocument,
  EffectsDocument,
  ForkDocument,
  GraphDocument,
  HealthAnswer,
  HooksDeliverAnswer,
  HooksListAnswer,
  ImportedDocument,
  InboxDocument,
  Json,
  PipelinesAnswerAliasAnswer,
  PipelinesAnswerAliasBody,
  PipelinesAnswerAnswer,
  PipelinesAnswerBody,
  PipelinesCancelAnswer,
  PipelinesCheckpointAnswer,
  PipelinesContextAnswer,
  PipelinesGetAnswer,
  PipelinesGraphQuery,
  PipelinesListAnswer,
  PipelinesQuestionsAnswer,
  PipelinesRunAnswer,
  PipelinesRunBody,
  PipelinesSignalAnswer,
  PipelinesStartAnswer,
  PipelinesStartBody,
  PipelinesStatusAnswer,
  PipelinesStatusQuery,
  PolicyCheckAnswer,
  PolicyCheckBody,
  ProgramsCheckAnswer,
  ProgramsCheckBody,
  ProgramsGetAnswer,
  ProgramsGraphQuery,
  ProgramsListAnswer,
  PromotionsAskAnswer,
  PromotionsAskBody,
  PromotionsGetAnswer,
  QuestionsAnswerAnswer,
  QuestionsAnswerBody,
  ReadyAnswer,
  ResultDocument,
  RunsCancelAllAnswer,
  RunsCancelAllBody,
  RunsCancelBody,
  RunsChatQuery,
  RunsDiffQuery,
  RunsEffectsQuery,
  RunsEventsOfAllQuery,
  RunsEventsQuery,
  RunsForkBody,
  RunsGetQuery,
  RunsGraphQuery,
  RunsListAnswer,
  RunsListQuery,
  RunsRecordsAnswer,
  RunsRecordsQuery,
  RunsResumeBody,
  RunsSignalBody,
  RunsStartBody,
  RunsTraceQuery,
  RunsWhyQuery,
  ScheduleDocument,
  SchedulesAddBody,
  SchedulesDocument,
  SchedulesPauseAnswer,
  SchedulesPauseBody,
  SchedulesRemoveAnswer,
  ShowDocument,
  SignalledDocument,
  SkillsSyncAnswer,
  SkillsSyncQuery,
  TelemetryListAnswer,
  TelemetryListQuery,
  TelemetryReportAnswer,
  TelemetryReportBody,
  TraceDocument,
  TreesBlackboardAnswer,
  TreesBreakAnswer,
  TreesBreakBody,
  TreesBreakpointsAnswer,
  TreesClearAnswer,
  TreesGetAnswer,
  TreesHistoryAnswer,
  TreesHistoryQuery,
  TreesListAnswer,
  TreesUnbreakAnswer,
  TreesUnbreakQuery,
  TreesValidateAnswer,
  TreesValidateBody,
  TreesVisualizationQuery,
  WhyDocument,
} from './types.ts'

/** The routes of `runs`. */
export class RunsRoutes {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Streams the durable records of a run, from the first one, from record `after`, or from Last-Event-ID, until the run has ended. */
  events(run: string, options: RunsEventsQuery & StreamOptions = {}): AsyncGenerator<StreamEvent, void, undefined> {
    const { signal: _signal, lastEventId: _last, ...query } = options
    return streamOf(this.#transport, { method: 'GET', path: ['v1', 'runs', run, 'events'], query }, options)
  }

  /** Streams the durable records of the runs that match a filter, from now on or from Last-Event-ID, without an end. */
  eventsOfAll(options: RunsEventsOfAllQuery & StreamOptions = {}): AsyncGenerator<StreamEvent, void, undefined> {
    const { signal: _signal, lastEventId: _last, ...query } = options
    return streamOf(this.#transport, { method: 'GET', path: ['v1', 'runs', 'events'], query }, options)
  }

  /** Streams the answers of the models of a run after record `after` as one message of the AI SDK, until the run rests. */
  chat(run: string, options: RunsChatQuery & StreamOptions = {}): AsyncGenerator<StreamEvent, void, undefined> {
    const { signal: _signal, lastEventId: _last, ...query } = options
    return streamOf(this.#transport, { method: 'GET', path: ['v1', 'runs', run, 'chat'], query }, options)
  }

  /** Starts a run. With the header Idempotency-Key, a repeated request returns the run that the first one started. */
  start(body: RunsStartBody, options: CallOptions = {}): Promise<ResultDocument> {
    return this.#transport.send<ResultDocument>({ method: 'POST', path: ['v1', 'runs'], body, keyed: true }, options)
  }

  /** Lists runs, the newest first. */
  list(query: RunsListQuery = {}, options: CallOptions = {}): Promise<RunsListAnswer> {
    return this.#transport.send<RunsListAnswer>({ method: 'GET', path: ['v1', 'runs'], query }, options)
  }

  /** Returns the state of a run, now or after one of its records. */
  get(run: string, query: RunsGetQuery = {}, options: CallOptions = {}): Promise<ShowDocument> {
    return this.#transport.send<ShowDocument>({ method: 'GET', path: ['v1', 'runs', run], query }, options)
  }

  /** Returns the story of a run, record by record. */
  trace(run: string, query: RunsTraceQuery = {}, options: CallOptions = {}): Promise<TraceDocument> {
    return this.#transport.send<TraceDocument>({ method: 'GET', path: ['v1', 'runs', run, 'trace'], query }, options)
  }

  /** Returns the causes of a value, a decision or a record (`@21`), or of a `node` in an episode (`E554`) or in part `part` of record `at`. */
  why(run: string, query: RunsWhyQuery = {}, options: CallOptions = {}): Promise<WhyDocument> {
    return this.#transport.send<WhyDocument>({ method: 'GET', path: ['v1', 'runs', run, 'why'], query }, options)
  }

  /** Returns the differences between two runs, or between two records of one run. */
  diff(query: RunsDiffQuery, options: CallOptions = {}): Promise<DiffDocument> {
    return this.#transport.send<DiffDocument>({ method: 'GET', path: ['v1', 'diff'], query }, options)
  }

  /** Returns records of a run by number. `next` is the first record of the next page. */
  records(run: string, query: RunsRecordsQuery = {}, options: CallOptions = {}): Promise<RunsRecordsAnswer> {
    return this.#transport.send<RunsRecordsAnswer>({ method: 'GET', path: ['v1', 'runs', run, 'records'], query }, options)
  }

  /** Lists the effects of a run with their requests and outcomes, in the order in which they were requested. `next` is the `from` of the next page. */
  effects(run: string, query: RunsEffectsQuery = {}, options: CallOptions = {}): Promise<EffectsDocument> {
    return this.#transport.send<EffectsDocument>({ method: 'GET', path: ['v1', 'runs', run, 'effects'], query }, options)
  }

  /** Returns the meter of a run: what it has used and may use, and the usage of each program and node. */
  cost(run: string, options: CallOptions = {}): Promise<CostDocument> {
    return this.#transport.send<CostDocument>({ method: 'GET', path: ['v1', 'runs', run, 'cost'] }, options)
  }

  /** Exports a run as the lines of an archive. */
  archive(run: string, options: CallOptions = {}): Promise<string> {
    return this.#transport.send<string>({ method: 'GET', path: ['v1', 'runs', run, 'archive'] }, options)
  }

  /** Lists the open questions of a run. */
  questions(run: string, options: CallOptions = {}): Promise<InboxDocument> {
    return this.#transport.send<InboxDocument>({ method: 'GET', path: ['v1', 'runs', run, 'questions'] }, options)
  }

  /** Sends a message to a run, which waits for it now or later. */
  signal(run: string, topic: string, body: RunsSignalBody = {}, options: CallOptions = {}): Promise<SignalledDocument> {
    return this.#transport.send<SignalledDocument>({ method: 'POST', path: ['v1', 'runs', run, 'signals', topic], body }, options)
  }

  /** Cancels a run: here, or by asking the process that holds it. */
  cancel(run: string, body: RunsCancelBody = {}, options: CallOptions = {}): Promise<CancelledDocument> {
    return this.#transport.send<CancelledDocument>({ method: 'POST', path: ['v1', 'runs', run, 'cancel'], body }, options)
  }

  /** Makes a run that shares the history up to a record. It performs nothing until it is resumed. Other values, another decision and another trust need the scope admin. */
  fork(run: string, body: RunsForkBody = {}, options: CallOptions = {}): Promise<ForkDocument> {
    return this.#transport.send<ForkDocument>({ method: 'POST', path: ['v1', 'runs', run, 'fork'], body }, options)
  }

  /** Continues a run that stopped or was suspended, such as a fork. */
  resume(run: string, body: RunsResumeBody = {}, options: CallOptions = {}): Promise<ResultDocument> {
    return this.#transport.send<ResultDocument>({ method: 'POST', path: ['v1', 'runs', run, 'resume'], body }, options)
  }

  /** Cancels the unfinished runs that match a filter, newest first. `next` continues after the last of them. */
  cancelAll(body: RunsCancelAllBody, options: CallOptions = {}): Promise<RunsCancelAllAnswer> {
    return this.#transport.send<RunsCancelAllAnswer>({ method: 'POST', path: ['v1', 'runs', 'cancel'], body }, options)
  }

  /** Returns the programs on the stack of a run as graphs, with the states of their nodes. */
  graph(run: string, query: RunsGraphQuery = {}, options: CallOptions = {}): Promise<GraphDocument | string> {
    return this.#transport.send<GraphDocument | string>({ method: 'GET', path: ['v1', 'runs', run, 'graph'], query }, options)
  }
}

/** The routes of `questions`. */
export class QuestionsRoutes {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Streams the inbox: all open questions and the event `inbox`, then `question` and `answered` as they happen; after Last-Event-ID only what changed since. */
  events(options: StreamOptions = {}): AsyncGenerator<StreamEvent, void, undefined> {
    return streamOf(this.#transport, { method: 'GET', path: ['v1', 'questions', 'events'] }, options)
  }

  /** Lists the open questions of all runs, the oldest first. */
  list(options: CallOptions = {}): Promise<InboxDocument> {
    return this.#transport.send<InboxDocument>({ method: 'GET', path: ['v1', 'questions'] }, options)
  }

  /** Answers an open question. 200: the answer is durable and counts; 202: it is durable, and the process that holds the run has not decided on it in ten seconds. The run continues by itself. */
  answer(run: string, question: string, body: QuestionsAnswerBody, options: CallOptions = {}): Promise<QuestionsAnswerAnswer> {
    return this.#transport.send<QuestionsAnswerAnswer>(
      { method: 'POST', path: ['v1', 'runs', run, 'questions', question, 'answer'], body },
      options,
    )
  }
}

/** The routes of `chat`. */
export class ChatRoutes {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Takes a message of a chat of the AI SDK: the first one starts a run, the others answer its question or its wait. Streams the answer. */
  send(body: ChatSendBody, options: StreamOptions = {}): AsyncGenerator<StreamEvent, void, undefined> {
    return streamOf(this.#transport, { method: 'POST', path: ['v1', 'chat'], body }, options)
  }

  /** Streams the answer to the last message of a chat again from its beginning, while it is under way. */
  resume(chat: string, options: StreamOptions = {}): AsyncGenerator<StreamEvent, void, undefined> {
    return streamOf(this.#transport, { method: 'GET', path: ['v1', 'chat', chat, 'stream'] }, options)
  }
}

/** The routes of `programs`. */
export class ProgramsRoutes {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Lists the programs of the folders that the server was started for. */
  list(options: CallOptions = {}): Promise<ProgramsListAnswer> {
    return this.#transport.send<ProgramsListAnswer>({ method: 'GET', path: ['v1', 'programs'] }, options)
  }

  /** Returns the findings about the text of a program. Nothing is stored. */
  check(body: ProgramsCheckBody, options: CallOptions = {}): Promise<ProgramsCheckAnswer> {
    return this.#transport.send<ProgramsCheckAnswer>({ method: 'POST', path: ['v1', 'programs', 'check'], body }, options)
  }

  /** Returns the source of a program, by `kind:name`. */
  get(program: string, options: CallOptions = {}): Promise<ProgramsGetAnswer> {
    return this.#transport.send<ProgramsGetAnswer>({ method: 'GET', path: ['v1', 'programs', program] }, options)
  }

  /** Returns a program as a graph. */
  graph(program: string, query: ProgramsGraphQuery = {}, options: CallOptions = {}): Promise<GraphDocument | string> {
    return this.#transport.send<GraphDocument | string>({ method: 'GET', path: ['v1', 'programs', program, 'graph'], query }, options)
  }
}

/** The routes of `blobs`. */
export class BlobsRoutes {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Returns a large value by its hash. */
  get(hash: string, options: CallOptions = {}): Promise<Json> {
    return this.#transport.send<Json>({ method: 'GET', path: ['v1', 'blobs', hash] }, options)
  }
}

/** The routes of `archives`. */
export class ArchivesRoutes {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Stores the run of an archive. It performs nothing until it is resumed, answered or due. */
  import(body: string, query: ArchivesImportQuery = {}, options: CallOptions = {}): Promise<ImportedDocument> {
    return this.#transport.send<ImportedDocument>(
      { method: 'POST', path: ['v1', 'archives'], query, body, type: 'application/jsonl' },
      options,
    )
  }
}

/** The routes of `page`. */
export class PageRoutes {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Returns the inbox page. */
  index(options: CallOptions = {}): Promise<string> {
    return this.#transport.send<string>({ method: 'GET', path: [''] }, options)
  }

  /** Returns a style, a script or an image of the inbox page. */
  file(file: string, options: CallOptions = {}): Promise<string> {
    return this.#transport.send<string>({ method: 'GET', path: ['page', file] }, options)
  }
}

/** The routes of `hooks`. */
export class HooksRoutes {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Takes a signed delivery: starts the program of the hook, or sends its message. A repeated delivery returns what the first one did. */
  deliver(hook: string, body: string, options: CallOptions = {}): Promise<string | HooksDeliverAnswer> {
    return this.#transport.send<string | HooksDeliverAnswer>(
      { method: 'POST', path: ['v1', 'hooks', hook], body, type: 'application/json' },
      options,
    )
  }

  /** Lists the hooks, and the subscriptions with their last deliveries and failures. */
  list(options: CallOptions = {}): Promise<HooksListAnswer> {
    return this.#transport.send<HooksListAnswer>({ method: 'GET', path: ['v1', 'hooks'] }, options)
  }
}

/** The routes of `schedules`. */
export class SchedulesRoutes {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Lists the schedules with their next times and the last one. */
  list(options: CallOptions = {}): Promise<SchedulesDocument> {
    return this.#transport.send<SchedulesDocument>({ method: 'GET', path: ['v1', 'schedules'] }, options)
  }

  /** Adds a schedule to the store: a program is started at each time of a calendar, whichever server is there. */
  add(body: SchedulesAddBody, options: CallOptions = {}): Promise<ScheduleDocument> {
    return this.#transport.send<ScheduleDocument>({ method: 'POST', path: ['v1', 'schedules'], body }, options)
  }

  /** Pauses a schedule, or lets it continue. */
  pause(schedule: string, body: SchedulesPauseBody = {}, options: CallOptions = {}): Promise<SchedulesPauseAnswer> {
    return this.#transport.send<SchedulesPauseAnswer>({ method: 'POST', path: ['v1', 'schedules', schedule, 'pause'], body }, options)
  }

  /** Removes a schedule. Runs that it started continue. */
  remove(schedule: string, options: CallOptions = {}): Promise<SchedulesRemoveAnswer> {
    return this.#transport.send<SchedulesRemoveAnswer>({ method: 'DELETE', path: ['v1', 'schedules', schedule] }, options)
  }
}

/** The routes of `policy`. */
export class PolicyRoutes {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Says if a version of a skill may run in an environment. The request has no values of arguments. */
  check(body: PolicyCheckBody, options: CallOptions = {}): Promise<PolicyCheckAnswer> {
    return this.#transport.send<PolicyCheckAnswer>({ method: 'POST', path: ['v1', 'policy', 'check'], body }, options)
  }
}

/** The routes of `skills`. */
export class SkillsRoutes {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Returns the skills of a project that have changed after a cursor. 304: none, as If-None-Match says. */
  sync(query: SkillsSyncQuery, options: CallOptions = {}): Promise<SkillsSyncAnswer> {
    return this.#transport.send<SkillsSyncAnswer>({ method: 'GET', path: ['v1', 'skills', 'sync'], query }, options)
  }
}

/** The routes of `promotions`. */
export class PromotionsRoutes {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Uses a tested version of a skill in another environment. The holder of the token approves it. */
  ask(body: PromotionsAskBody, options: CallOptions = {}): Promise<PromotionsAskAnswer> {
    return this.#transport.send<PromotionsAskAnswer>({ method: 'POST', path: ['v1', 'promotions'], body, keyed: true }, options)
  }

  /** Returns what became of a promotion. */
  get(promotion: string, options: CallOptions = {}): Promise<PromotionsGetAnswer> {
    return this.#transport.send<PromotionsGetAnswer>({ method: 'GET', path: ['v1', 'promotions', promotion] }, options)
  }
}

/** The routes of `telemetry`. */
export class TelemetryRoutes {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Takes counts of what skills did in a window of time. */
  report(body: TelemetryReportBody, options: CallOptions = {}): Promise<TelemetryReportAnswer> {
    return this.#transport.send<TelemetryReportAnswer>({ method: 'POST', path: ['v1', 'telemetry'], body, keyed: true }, options)
  }

  /** Returns the sums of what was reported of a project, by version. */
  list(query: TelemetryListQuery, options: CallOptions = {}): Promise<TelemetryListAnswer> {
    return this.#transport.send<TelemetryListAnswer>({ method: 'GET', path: ['v1', 'telemetry'], query }, options)
  }
}

/** The routes of `pipelines`. */
export class PipelinesRoutes {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Starts a pipeline. */
  start(body: PipelinesStartBody, options: CallOptions = {}): Promise<PipelinesStartAnswer> {
    return this.#transport.send<PipelinesStartAnswer>({ method: 'POST', path: ['pipelines'], body, keyed: true }, options)
  }

  /** Starts a pipeline. */
  run(body: PipelinesRunBody, options: CallOptions = {}): Promise<PipelinesRunAnswer> {
    return this.#transport.send<PipelinesRunAnswer>({ method: 'POST', path: ['run'], body, keyed: true }, options)
  }

  /** Lists the runs of pipelines. */
  list(options: CallOptions = {}): Promise<PipelinesListAnswer> {
    return this.#transport.send<PipelinesListAnswer>({ method: 'GET', path: ['pipelines'] }, options)
  }

  /** Returns the progress of a pipeline. */
  get(id: string, options: CallOptions = {}): Promise<PipelinesGetAnswer> {
    return this.#transport.send<PipelinesGetAnswer>({ method: 'GET', path: ['pipelines', id] }, options)
  }

  /** Returns the progress of a pipeline. */
  status(query: PipelinesStatusQuery, options: CallOptions = {}): Promise<PipelinesStatusAnswer> {
    return this.#transport.send<PipelinesStatusAnswer>({ method: 'GET', path: ['status'], query }, options)
  }

  /** Streams the events of a pipeline, those of the past first, and ends with the run. */
  events(id: string, options: StreamOptions = {}): AsyncGenerator<StreamEvent, void, undefined> {
    return streamOf(this.#transport, { method: 'GET', path: ['pipelines', id, 'events'] }, options)
  }

  /** Cancels a pipeline. */
  cancel(id: string, options: CallOptions = {}): Promise<PipelinesCancelAnswer> {
    return this.#transport.send<PipelinesCancelAnswer>({ method: 'POST', path: ['pipelines', id, 'cancel'] }, options)
  }

  /** Returns the graph of a pipeline with the states of its nodes. */
  graph(id: string, query: PipelinesGraphQuery = {}, options: CallOptions = {}): Promise<string | Json> {
    return this.#transport.send<string | Json>({ method: 'GET', path: ['pipelines', id, 'graph'], query }, options)
  }

  /** Lists the open questions of a pipeline. */
  questions(id: string, options: CallOptions = {}): Promise<PipelinesQuestionsAnswer> {
    return this.#transport.send<PipelinesQuestionsAnswer>({ method: 'GET', path: ['pipelines', id, 'questions'] }, options)
  }

  /** Answers a question of a pipeline. */
  answer(id: string, question: string, body: PipelinesAnswerBody, options: CallOptions = {}): Promise<PipelinesAnswerAnswer> {
    return this.#transport.send<PipelinesAnswerAnswer>(
      { method: 'POST', path: ['pipelines', id, 'questions', question, 'answer'], body },
      options,
    )
  }

  /** Answers a question of a pipeline. */
  answerAlias(body: PipelinesAnswerAliasBody, options: CallOptions = {}): Promise<PipelinesAnswerAliasAnswer> {
    return this.#transport.send<PipelinesAnswerAliasAnswer>({ method: 'POST', path: ['answer'], body }, options)
  }

  /** Sends a message to a pipeline. */
  signal(id: string, topic: string, body: Json, options: CallOptions = {}): Promise<PipelinesSignalAnswer> {
    return this.#transport.send<PipelinesSignalAnswer>({ method: 'POST', path: ['pipelines', id, 'signals', topic], body }, options)
  }

  /** Returns the context of a pipeline. */
  context(id: string, options: CallOptions = {}): Promise<PipelinesContextAnswer> {
    return this.#transport.send<PipelinesContextAnswer>({ method: 'GET', path: ['pipelines', id, 'context'] }, options)
  }

  /** Returns the checkpoint of a pipeline, without a signature. */
  checkpoint(id: string, options: CallOptions = {}): Promise<PipelinesCheckpointAnswer> {
    return this.#transport.send<PipelinesCheckpointAnswer>({ method: 'GET', path: ['pipelines', id, 'checkpoint'] }, options)
  }
}

/** The routes of `trees`. */
export class TreesRoutes {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Lists the runs of trees. */
  list(options: CallOptions = {}): Promise<TreesListAnswer> {
    return this.#transport.send<TreesListAnswer>({ method: 'GET', path: ['api', 'bt', 'debug', 'trees'] }, options)
  }

  /** Returns a tree with the states of its nodes. */
  get(id: string, options: CallOptions = {}): Promise<TreesGetAnswer> {
    return this.#transport.send<TreesGetAnswer>({ method: 'GET', path: ['api', 'bt', 'debug', 'tree', id] }, options)
  }

  /** Returns the values on the blackboard of a tree, with the record that wrote each. */
  blackboard(id: string, options: CallOptions = {}): Promise<TreesBlackboardAnswer> {
    return this.#transport.send<TreesBlackboardAnswer>({ method: 'GET', path: ['api', 'bt', 'debug', 'tree', id, 'blackboard'] }, options)
  }

  /** Returns the newest changes of the statuses of nodes, the newest first; for one node also what it has done so far. */
  history(id: string, query: TreesHistoryQuery = {}, options: CallOptions = {}): Promise<TreesHistoryAnswer> {
    return this.#transport.send<TreesHistoryAnswer>({ method: 'GET', path: ['api', 'bt', 'debug', 'tree', id, 'history'], query }, options)
  }

  /** Draws a tree with the states of its nodes. */
  visualization(id: string, query: TreesVisualizationQuery = {}, options: CallOptions = {}): Promise<string> {
    return this.#transport.send<string>({ method: 'GET', path: ['api', 'bt', 'debug', 'tree', id, 'visualization'], query }, options)
  }

  /** Lists the breakpoints of a tree. */
  breakpoints(id: string, options: CallOptions = {}): Promise<TreesBreakpointsAnswer> {
    return this.#transport.send<TreesBreakpointsAnswer>({ method: 'GET', path: ['api', 'bt', 'debug', 'tree', id, 'breakpoint'] }, options)
  }

  /** Sets a breakpoint, or enables and disables one. */
  break(id: string, body: TreesBreakBody, options: CallOptions = {}): Promise<TreesBreakAnswer> {
    return this.#transport.send<TreesBreakAnswer>({ method: 'POST', path: ['api', 'bt', 'debug', 'tree', id, 'breakpoint'], body }, options)
  }

  /** Removes a breakpoint. */
  unbreak(id: string, query: TreesUnbreakQuery, options: CallOptions = {}): Promise<TreesUnbreakAnswer> {
    return this.#transport.send<TreesUnbreakAnswer>(
      { method: 'DELETE', path: ['api', 'bt', 'debug', 'tree', id, 'breakpoint'], query },
      options,
    )
  }

  /** Removes all breakpoints. */
  clear(id: string, options: CallOptions = {}): Promise<TreesClearAnswer> {
    return this.#transport.send<TreesClearAnswer>(
      { method: 'DELETE', path: ['api', 'bt', 'debug', 'tree', id, 'breakpoint', 'all'] },
      options,
    )
  }

  /** Returns the findings about the text of a tree. */
  validate(body: TreesValidateBody, options: CallOptions = {}): Promise<TreesValidateAnswer> {
    return this.#transport.send<TreesValidateAnswer>({ method: 'POST', path: ['api', 'bt', 'debug', 'validate'], body }, options)
  }
}

/** The routes of `dataflows`. */
export class DataflowsRoutes {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Sends one event to a run of a graph, or a list of them. One event that is refused is 422, one whose id was taken 409; of a list, those that fit are taken. */
  events(run: string, body: DataflowsEventsBody, options: CallOptions = {}): Promise<DataflowsEventsAnswer> {
    return this.#transport.send<DataflowsEventsAnswer>({ method: 'POST', path: ['v1', 'dataflows', run, 'events'], body }, options)
  }
}

/**
 * The client of a server of Reflex: `reflex serve`. Each route is a method: `client.runs.start`, `client.questions.answer`. A request that
 * fails throws `ReflexError` with the code of the fault. Requests that change nothing, and starts, are repeated if the server cannot be
 * reached or is busy. Works in browsers and in Node.
 */
export class ReflexClient {
  readonly #transport: Transport
  readonly runs: RunsRoutes
  readonly questions: QuestionsRoutes
  readonly chat: ChatRoutes
  readonly programs: ProgramsRoutes
  readonly blobs: BlobsRoutes
  readonly archives: ArchivesRoutes
  readonly page: PageRoutes
  readonly hooks: HooksRoutes
  readonly schedules: SchedulesRoutes
  readonly policy: PolicyRoutes
  readonly skills: SkillsRoutes
  readonly promotions: PromotionsRoutes
  readonly telemetry: TelemetryRoutes
  readonly pipelines: PipelinesRoutes
  readonly trees: TreesRoutes
  readonly dataflows: DataflowsRoutes

  constructor(options: ClientOptions) {
    this.#transport = new Transport(options)
    this.runs = new RunsRoutes(this.#transport)
    this.questions = new QuestionsRoutes(this.#transport)
    this.chat = new ChatRoutes(this.#transport)
    this.programs = new ProgramsRoutes(this.#transport)
    this.blobs = new BlobsRoutes(this.#transport)
    this.archives = new ArchivesRoutes(this.#transport)
    this.page = new PageRoutes(this.#transport)
    this.hooks = new HooksRoutes(this.#transport)
    this.schedules = new SchedulesRoutes(this.#transport)
    this.policy = new PolicyRoutes(this.#transport)
    this.skills = new SkillsRoutes(this.#transport)
    this.promotions = new PromotionsRoutes(this.#transport)
    this.telemetry = new TelemetryRoutes(this.#transport)
    this.pipelines = new PipelinesRoutes(this.#transport)
    this.trees = new TreesRoutes(this.#transport)
    this.dataflows = new DataflowsRoutes(this.#transport)
  }

  /** Answers while the process works. */
  health(options: CallOptions = {}): Promise<HealthAnswer> {
    return this.#transport.send<HealthAnswer>({ method: 'GET', path: ['healthz'] }, options)
  }

  /** Answers while the store can be read and the server is not stopping. */
  ready(options: CallOptions = {}): Promise<ReadyAnswer> {
    return this.#transport.send<ReadyAnswer>({ method: 'GET', path: ['readyz'] }, options)
  }

  /** Returns the metrics of the store and of this server, as Prometheus reads them. */
  metrics(options: CallOptions = {}): Promise<string> {
    return this.#transport.send<string>({ method: 'GET', path: ['metrics'] }, options)
  }

  /** Describes every route. */
  openapi(options: CallOptions = {}): Promise<Json> {
    return this.#transport.send<Json>({ method: 'GET', path: ['v1', 'openapi.json'] }, options)
  }
}
