import { Option } from 'commander'
import { KINDS } from '../app/kinds.ts'
import type { AnyKindModule } from '../programs/kind-module.ts'
import { COMPANION_FLAGS, flagsOf, KIND_FLAGS } from './kind-flags.ts'
import { learningVerbs } from './learning/verbs.ts'
import type { Action, Verb } from './verb.ts'
import type { Session } from './session.ts'

const collect = (word: string, before: readonly string[] | undefined): readonly string[] => [...(before ?? []), word]
const repeatableOption = (flags: string, about: string): Option => new Option(flags, about).argParser(collect)

/** The options of every command. */
const COMMON: readonly Option[] = [
  new Option('--store <path>', 'the store; default: REFLEX_STORE, else the nearest .reflex/reflex.db'),
  new Option('--json', 'one JSON document on standard output'),
  new Option('--jsonl', 'one JSON object per line, records as they become durable'),
  new Option('-q, --quiet', 'only results and errors'),
  new Option('-v, --verbose', 'also show writes, and the edges that were closed at a decision'),
  new Option('--ids', 'also show trace ids'),
  new Option('--no-color', 'no colours; the same as NO_COLOR=1'),
]

const LEVELS = 'untrusted, probationary, trusted, veteran, autonomous'
const SIMULATE = new Option(
  '--simulate',
  'nothing leaves this machine: models, commands and other tools are simulated; the run never becomes real',
)
const BY = new Option('--by <name>', 'the name of the actor, for the journal; default: REFLEX_ACTOR, else the user')
const ANSWERS = new Option('--answers <who>', 'answers questions: ask, none, auto, or a file; default: ask at a terminal, else none')
const POLICY = repeatableOption('--policy <file>', 'capabilities to allow and deny in addition to the trust level; default: REFLEX_POLICY')
const PROGRAMS = repeatableOption('--programs <dir>', 'a folder to search for programs by name, after the folder of the program')
const AGENT = repeatableOption('--agent <agent>', 'the agent that decides: NAME, NODE=NAME, or a file of decisions; repeatable')
const MODEL = new Option('--model <name>', 'the model for nodes that name none: PROVIDER:NAME; default: REFLEX_MODEL')
const RECORDED = new Option('--recorded <file>', 'a file of replies to use instead of every model')
const TOOLS = repeatableOption('--tools <module>', 'a module of tools that programs may call; repeatable')
const RECORD = new Option('--record <file>', 'append every reply of a model to this file')
const ID = new Option('--id <name>', 'the name of the run; default: a generated name')
const EVENTS = new Option('--events <file>', 'events, one JSON value on each line; - reads standard input')
const KIND = new Option('--kind <kind>', 'the kind of the program, if the file name does not show it')

const CLUSTER = new Option('--cluster', 'the workers of the cluster of the store carry runs on; needs a store in Postgres')

const INPUT = repeatableOption('-i, --input <input>', 'k=text, k:=JSON, k=@file, or @file.json for all; repeatable')

/** The options of commands that start a run. */
const START_OPTIONS: readonly Option[] = [
  INPUT,
  AGENT,
  MODEL,
  RECORD,
  RECORDED,
  TOOLS,
  ANSWERS,
  BY,
  new Option('--trust <level>', `${LEVELS}; default: REFLEX_TRUST, else probationary`),
  POLICY,
  new Option('--budget <limits>', 'limits; the run asks before it exceeds them: usd=2,tokens=100k,time=10m,steps=500'),
  SIMULATE,
  PROGRAMS,
  KIND,
  new Option('--agent-id <name>', 'the agent for which the run acts: its memory and its rules in a policy apply'),
  ID,
  EVENTS,
  ...KIND_FLAGS,
  CLUSTER,
  new Option('--queue <name>', 'with --cluster: the queue in which the run waits for a worker; default: default'),
  new Option('--tenant <name>', 'with --cluster: the customer for whom the run works; tenants share the workers fairly'),
  new Option('--priority <number>', 'with --cluster: a lower number goes first; default: 0'),
  repeatableOption('--needs <word>', 'with --cluster: what a worker must have, as its --has says; repeatable'),
  new Option('--no-cache', 'parse every text again; the command always does so'),
  ...COMMON,
]

/** Runs a verb in an open store. */
type SessionAction = (session: Session, words: readonly string[], flags: Record<string, unknown>) => Promise<number>

/** Imports a verb when it is called: a command loads only what it needs. */
const withStore = (load: () => Promise<SessionAction>): Action => {
  return async (console, words, flags) => {
    const [{ withReflex }, act] = await Promise.all([import('./session.ts'), load()])
    return withReflex(console, flags, (session) => act(session, words, flags))
  }
}

/** Wraps verbs that start no run. */
const withExistingStore = (load: () => Promise<SessionAction>): Action => {
  return async (console, words, flags) => {
    const [{ withStoredRuns }, act] = await Promise.all([import('./session.ts'), load()])
    return withStoredRuns(console, flags, (session) => act(session, words, flags))
  }
}

/** Wraps verbs that need the programs of the library and no run. */
const withMemoryStore = (load: () => Promise<SessionAction>): Action => {
  return (console, words, flags) => withStore(load)(console, words, { ...flags, store: 'memory:' })
}

/** Wraps verbs that need no store. */
const withoutStore = (load: () => Promise<Action>): Action => {
  return async (console, words, flags) => (await load())(console, words, flags)
}

/** The verbs about what is learned. */
const LEARNING_VERBS = learningVerbs({ common: COMMON, by: BY, policy: POLICY, tools: TOOLS, input: INPUT, withStore, withExistingStore })

/** The verbs that every kind shares, in the order of the help. */
const SHARED: readonly Verb[] = [
  {
    name: 'run',
    words: [['<program>', 'a file, or a folder with one program']],
    about: 'start a run',
    options: START_OPTIONS,
    examples: [
      'run refund.workflow.json --input order_id=A-1042',
      'run refund.workflow.json --input \'order:={"total":84}\' --answers none',
    ],
    action: withStore(async () => {
      const { run } = await import('./verbs/run.ts')
      return (session, [program = ''], flags) => run(session, program, flags)
    }),
  },
  {
    name: 'watch',
    words: [['<program>', 'a file whose runs take events, such as a tree']],
    about: 'run a program that stays for events, and reload it when it is saved',
    options: START_OPTIONS,
    examples: ['watch deploy.tree.json', 'watch deploy.tree.json --events deploys.jsonl'],
    action: withStore(async () => {
      const { watch } = await import('./verbs/watch.ts')
      return (session, [file = ''], flags) => watch(session, file, flags)
    }),
  },
  {
    name: 'resume',
    words: [['<run>', 'a run; to try it without effects, fork it with --simulate and resume the fork']],
    about: 'continue a run that stopped or was suspended',
    options: [
      AGENT,
      MODEL,
      RECORD,
      RECORDED,
      ANSWERS,
      BY,
      new Option('--budget <limits>', 'new limits for the whole run, if it waits because its budget is spent'),
      POLICY,
      PROGRAMS,
      ...COMMON,
    ],
    examples: ['resume otter', 'resume otter --model openai:gpt-5-mini', 'resume otter --budget usd=2'],
    action: withExistingStore(async () => {
      const { resume } = await import('./verbs/resume.ts')
      return (session, [ref = ''], flags) => resume(session, ref, flags)
    }),
  },
  {
    name: 'answer',
    words: [
      ['<run>', 'a run, or one of its questions: otter/q1'],
      ['<answer...>', '[QUESTION] VALUE: text, :=JSON, @file; QUESTION if the run has several'],
    ],
    usage: 'RUN [QUESTION] VALUE',
    about: 'answer a question, then continue the run',
    options: [
      BY,
      new Option('--reason <text>', 'the reason for the answer, for the journal'),
      new Option('--no-run', 'only record the answer'),
      ANSWERS,
      RECORD,
      POLICY,
      PROGRAMS,
      ...COMMON,
    ],
    examples: [
      'answer otter approve',
      'answer otter approve --reason "tests pass"',
      'answer otter q2 \':={"total":84}\'',
      'answer otter/q2 @letter.txt',
    ],
    action: withExistingStore(async () => {
      const { answer } = await import('./verbs/answer.ts')
      return (session, words, flags) => answer(session, words, flags)
    }),
  },
  {
    name: 'signal',
    words: [
      ['<run>', 'a run that waits for a message, now or later'],
      ['<topic>', 'the topic that it waits for'],
      ['[value]', 'text, :=JSON, @file; default: null'],
    ],
    about: 'send a message to a run, then continue it',
    options: [BY, new Option('--no-run', 'only add the message to its inbox'), ANSWERS, RECORD, POLICY, PROGRAMS, ...COMMON],
    examples: ['signal otter deploy.done', 'signal otter deploy.done \':={"version":"1.4.0"}\''],
    action: withExistingStore(async () => {
      const { signal } = await import('./verbs/signal.ts')
      return (session, words, flags) => signal(session, words, flags)
    }),
  },
  {
    name: 'cancel',
    words: [['[run]', 'a run that has not ended; absent: all that match the filter']],
    usage: '[RUN]',
    about: 'end a run, or all of a filter; programs can run compensation steps',
    options: [
      new Option('--kind <kind>', 'all unfinished runs of programs of this kind'),
      new Option('--program <name>', 'all unfinished runs of this program: workflow:refund'),
      new Option('--status <status>', 'all that are running or suspended'),
      new Option('--since <time>', 'all that changed in the last 2h, 3d, or since a date'),
      new Option('--until <time>', 'all that last changed before that time'),
      new Option('--after <run>', 'only runs after this one in the list'),
      new Option('--limit <count>', 'the maximum number of runs, up to 1000; default: 100'),
      new Option('--dry', 'with a filter: only list the runs'),
      new Option('--reason <text>', 'the reason, for the journal'),
      new Option('--wait <duration>', 'how long to wait for the process that owns the run; default: 10s'),
      BY,
      POLICY,
      PROGRAMS,
      ...COMMON,
    ],
    examples: [
      'cancel otter',
      "cancel otter --reason 'the order was withdrawn'",
      'cancel --program workflow:refund --status suspended --until 7d --dry',
    ],
    action: withExistingStore(async () => {
      const { cancel } = await import('./verbs/cancel.ts')
      return (session, [ref], flags) => cancel(session, ref, flags)
    }),
  },
  {
    name: 'worker',
    words: [],
    about: 'run everything that is due, and schedules, until stopped',
    options: [
      new Option('--most <count>', 'the maximum number of runs at the same time; default: 64'),
      new Option('--once', 'end when nothing is due'),
      new Option('--cluster', 'take turns that the cluster of the store gives, beside other workers; needs a store in Postgres'),
      repeatableOption('--queue <name>', 'with --cluster: a queue that this worker serves; repeatable; default: all'),
      repeatableOption('--has <word>', 'with --cluster: what this worker has, such as gpu; repeatable'),
      new Option('--lease <time>', 'time without a heartbeat after which other processes take over its runs, such as 30s; default: 15s'),
      new Option('--grace <time>', 'time that pending effects have to end when the worker is stopped; default: 5s'),
      new Option('--health <port>', 'answer probes at /healthz and /readyz on this port, to any machine; 0 for any free port'),
      RECORD,
      POLICY,
      PROGRAMS,
      ...COMMON,
    ],
    examples: ['worker', 'worker --once', 'worker --cluster --queue slow'],
    action: withStore(async () => {
      const { worker } = await import('./verbs/worker.ts')
      return (session, _words, flags) => worker(session, flags)
    }),
  },
  {
    name: 'serve',
    words: [],
    about: 'answer requests over HTTP, and run what is due until stopped',
    options: [
      new Option('--port <number>', 'the port; 0 for any free one; default: 4173'),
      new Option('--bind <address>', 'the address to listen on; default: 127.0.0.1, which only this machine reaches'),
      repeatableOption('--host-name <name>', 'another name under which the server may be called; repeatable'),
      new Option('--tokens <file>', 'a file of tokens with names and scopes; default: only the token that is printed'),
      new Option('--triggers <file>', 'a file of triggers: webhooks that arrive or are sent, and schedules'),
      new Option('--no-work', 'leave runs that are due to workers'),
      CLUSTER,
      new Option('--lease <time>', 'time without a heartbeat after which other processes take over its work, such as 30s; default: 15s'),
      new Option('--grace <time>', 'time that pending effects have to end when the server is stopped; default: 5s'),
      new Option('--max-body <bytes>', 'the largest body of a request; default: 10000000'),
      new Option('--rate <count>', 'the maximum number of requests of a token in a minute; default: 6000'),
      new Option('--streams <count>', 'the maximum number of open event streams; default: 10000'),
      BY,
      POLICY,
      PROGRAMS,
      ...COMMON,
    ],
    examples: ['serve', 'serve --tokens tokens.json --no-work'],
    action: withStore(async () => {
      const { serve } = await import('./verbs/serve.ts')
      return (session, _words, flags) => serve(session, flags)
    }),
  },
  {
    name: 'queue',
    words: [
      ['[action]', 'list, set, pause, resume, remove, retry; absent: list'],
      ['[name]', 'the name of the queue; for retry: a stuck run'],
    ],
    usage: '[ACTION] [NAME]',
    about: 'list and limit the queues of the cluster of the store',
    options: [
      new Option('--slots <count>', 'for set: the most turns at once in the whole cluster, or none'),
      new Option('--tenant-slots <count>', 'for set: the most turns of one tenant at once, or none'),
      new Option('--share <part>', 'for set: the part of the slots that one tenant may take, such as 0.8'),
      new Option('--rate <rate>', 'for set: the most turns that begin in a period, such as 100/1m, or none'),
      new Option('--tenant-rate <rate>', 'for set: the most turns of one tenant that begin in a period, such as 10/1m, or none'),
      ...COMMON,
    ],
    examples: ['queue', 'queue set slow --slots 10 --rate 100/1m', 'queue pause slow', 'queue remove slow', 'queue retry otter'],
    action: withStore(async () => {
      const { queue } = await import('./verbs/queue.ts')
      return (session, words, flags) => queue(session, words, flags)
    }),
  },
  {
    name: 'schedule',
    words: [
      ['[action]', 'add, list, pause, resume, remove; absent: list'],
      ['[name]', 'the name of the schedule'],
      ['[program]', 'for add: the program that it starts, kind:name'],
    ],
    usage: '[ACTION]',
    about: 'start a program at times: servers and workers fire schedules',
    options: [
      new Option('--cron <expression>', "the times, such as '0 3 * * *'"),
      new Option('--zone <zone>', 'the time zone of the times, such as Europe/Berlin; default: UTC'),
      repeatableOption('-i, --input <input>', 'an input of the runs: k=text, k:=JSON, k=@file, or @file.json for all; repeatable'),
      new Option('--missed <policy>', 'times that passed while nothing fired them: skip, last, all; default: last'),
      new Option('--most <count>', 'the most missed times that are made up for with all; default: 100'),
      new Option('--overlap <policy>', 'if the run of the time before has not ended: allow, skip, cancel; default: allow'),
      new Option('--paused', 'add it without starting it'),
      new Option('--queue <name>', 'the queue of a cluster in which its runs wait; servers and workers with --cluster start them'),
      new Option('--tenant <name>', 'the customer for whom its runs work in a cluster'),
      new Option('--priority <number>', 'the priority of its runs in a cluster: a lower number goes first'),
      repeatableOption('--needs <word>', 'what a worker of a cluster must have for its runs; repeatable'),
      BY,
      POLICY,
      PROGRAMS,
      ...COMMON,
    ],
    examples: [
      "schedule add nightly workflow:report --cron '0 3 * * *'",
      'schedule list',
      'schedule pause nightly',
      'schedule remove nightly',
    ],
    action: async (console, words, flags) => {
      const load = async (): Promise<SessionAction> => (await import('./verbs/schedule.ts')).schedule
      // Only a schedule that is added needs a store.
      return (words[0] === 'add' ? withStore(load) : withExistingStore(load))(console, words, flags)
    },
  },
  ...LEARNING_VERBS,
  {
    name: 'mcp',
    words: [
      ['[action]', 'pin a server of others, or list their tools: pin, tools; absent: serve'],
      ['[server]', 'the server to pin'],
    ],
    about: 'serve programs as tools over MCP, on standard input and output',
    options: [
      new Option('--no-work', 'leave runs that are due to workers'),
      new Option('--grace <time>', 'time that pending effects have to end when the client has gone; default: 5s'),
      POLICY,
      PROGRAMS,
      ...COMMON,
    ],
    examples: ['mcp', 'mcp --programs programs --no-work', 'mcp pin files', 'mcp tools'],
    action: withStore(async () => {
      const [{ mcp }, { mcpServers }] = await Promise.all([import('./verbs/mcp.ts'), import('./verbs/mcp-servers.ts')])
      return (session, words, flags) => (words.length === 0 ? mcp(session, flags) : mcpServers(session, words))
    }),
  },
  {
    name: 'runs',
    words: [],
    about: 'list the runs, the newest first',
    options: [
      new Option('--status <status>', 'running, suspended, completed, failed, cancelled; several with commas'),
      new Option('--since <time>', 'only runs that changed in the last 2h, 3d, or since a date'),
      new Option('--until <time>', 'only runs that last changed before that time'),
      new Option('--kind <kind>', 'only runs of programs of this kind'),
      new Option('--program <name>', 'only runs of this program: workflow:refund'),
      new Option('--after <run>', 'only runs after this one in the list'),
      new Option('--limit <count>', 'the maximum number of runs; default: 50'),
      ...COMMON,
    ],
    examples: ['runs --status suspended', 'runs --since 2h --json'],
    action: async (console, _words, flags) => {
      const [{ withStoreOnly }, { runs }] = await Promise.all([import('./store-session.ts'), import('./verbs/runs.ts')])
      return withStoreOnly(console, flags, (rows) => runs(rows, flags))
    },
  },
  {
    name: 'inbox',
    words: [],
    about: 'list the open questions, and answer them at a terminal',
    options: [BY, ANSWERS, POLICY, PROGRAMS, ...COMMON],
    examples: [],
    action: withExistingStore(async () => {
      const { inbox } = await import('./verbs/inbox.ts')
      return (session, _words, flags) => inbox(session, flags)
    }),
  },
  {
    name: 'show',
    words: [['<run>', 'a run, or RUN@N for its state after record N']],
    about: 'show the state of a run: stack, open edges, values',
    options: [
      new Option(
        '--follow',
        'show what the run does from now on, while a worker or another process carries it on; ctrl-c leaves it to them',
      ),
      ANSWERS,
      ...COMMON,
    ],
    examples: ['show otter', 'show otter@21', 'show otter --follow'],
    action: withExistingStore(async () => {
      const [{ show }, { follow }] = await Promise.all([import('./verbs/show.ts'), import('./verbs/follow.ts')])
      return (session, [ref = ''], flags) => (flags['follow'] === true ? follow(session, ref, flags) : show(session, ref))
    }),
  },
  {
    name: 'trace',
    words: [['<run>', 'a run, or RUN@N up to record N']],
    about: 'print what happened, record by record',
    options: [
      new Option('--from <record>', 'the first record that is printed; default: the first one in the store'),
      new Option('--tail <count>', 'print only this many records at the end'),
      new Option('--events', 'print the events of a tree, one JSON object on each line: ticks, statuses of nodes, what nodes report'),
      ...COMMON,
    ],
    examples: ['trace last', 'trace otter@21', 'trace otter --tail 50', 'trace otter --jsonl', 'trace watcher --events'],
    action: withExistingStore(async () => {
      const { trace } = await import('./verbs/trace.ts')
      return (session, [ref = ''], flags) => trace(session, ref, flags)
    }),
  },
  {
    name: 'replay',
    words: [['<run>', 'a run, or a file that export --format has written']],
    about: 'make every decision again, and compare with what was recorded',
    options: [
      new Option('--against <file>', 'use this changed program instead of the recorded one'),
      new Option('--strict', 'also capture the run, and replay the capture: every event, decision and effect'),
      new Option('--all', 'with --strict or a capture: report every difference, and not only the first'),
      new Option('--segment <n>', 'only this part of a run that never ends, from 1: from the state with which it begins'),
      new Option(
        '--what-if',
        'decide again what the gate of skills has decided, with what follows or with what holds now; print what changes',
      ),
      new Option('--tau <tau>', 'with --what-if: another threshold of the host'),
      new Option('--policy-mode <mode>', 'with --what-if: enforce or advise'),
      new Option('--mode <mode>', 'pinned, or what-if for --what-if'),
      ...flagsOf('replay'),
      KIND,
      TOOLS,
      PROGRAMS,
      ...COMMON,
    ],
    examples: [
      'replay otter',
      'replay otter --against refund.workflow.json',
      'replay finch --strict',
      'replay swift --what-if --tau 0.7',
      'replay finch.bundle.json --against alerts.dataflow.json',
    ],
    action: withExistingStore(async () => {
      const { replay } = await import('./verbs/replay.ts')
      return (session, [ref = ''], flags) => replay(session, ref, flags)
    }),
  },
  {
    name: 'fork',
    words: [['<run>', 'RUN@N: N is the last record that both share; default: the last one']],
    about: 'make another run from a record; it starts when you resume it',
    options: [
      repeatableOption('--set <value>', 'write a value to the board: k=text, k:=JSON, k=@file; repeatable'),
      new Option(
        '--decide <edge>',
        'the edge that the open decision takes, or the answer to the open question; PLACE=EDGE if there are several',
      ),
      new Option('--trust <level>', `${LEVELS}; default: the trust of the source run`),
      SIMULATE,
      new Option('--id <name>', 'the name of the fork; default: a generated name'),
      BY,
      POLICY,
      PROGRAMS,
      ...COMMON,
    ],
    examples: [
      'fork otter@21 --decide refund_part',
      'fork otter@30 --decide verify/approve=yes',
      "fork otter@21 --set 'limit:=50' --simulate",
    ],
    action: withExistingStore(async () => {
      const { fork } = await import('./verbs/fork.ts')
      return (session, [address = ''], flags) => fork(session, address, flags)
    }),
  },
  {
    name: 'why',
    words: [
      ['<run>', 'a run, RUN@N for its state after record N, or RUN@N.M for part M of record N'],
      ['[what]', 'a node, a key of the board, or @N for a record; node:NAME or key:NAME if both have the name; E554 for an episode'],
      ['[node]', 'a node in the episode'],
    ],
    about: 'show the causes of a value or a decision',
    options: [new Option('--svg <file>', 'write them as an SVG image; - for standard output'), ...COMMON],
    examples: [
      'why otter decide',
      'why otter identity',
      'why otter key:decide',
      'why otter @11',
      'why finch E554 notify',
      'why finch@12.3 notify',
      'why finch E554 notify --svg notify.svg',
    ],
    action: withExistingStore(async () => {
      const { why } = await import('./verbs/why.ts')
      return (session, [ref = '', what, node], flags) => why(session, ref, what, node, flags)
    }),
  },
  {
    name: 'diff',
    words: [
      ['<run>', 'a run, or RUN@N up to record N; with --events a program'],
      ['[other]', 'the run, the record or the program to compare it with'],
    ],
    about: 'show the differences between two runs, or two records of one run',
    options: [
      new Option('--text', 'show differing texts line by line'),
      new Option('--replay', 'compare a run with its replay'),
      new Option('--events <file>', 'compare two versions of a graph over the events in a file'),
      ...flagsOf('diff'),
      ...COMMON,
    ],
    examples: [
      'diff otter crane',
      'diff otter@11 otter@21',
      'diff otter --replay',
      'diff a.dataflow.json b.dataflow.json --events m.jsonl',
    ],
    action: (console, words, flags) => {
      const load = async (): Promise<SessionAction> => {
        const { diff } = await import('./verbs/diff.ts')
        return (session, ...given) => diff(session, ...given)
      }
      return (flags['events'] === undefined ? withExistingStore : withMemoryStore)(load)(console, words, flags)
    },
  },
  {
    name: 'validate',
    words: [['<file...>', 'programs, or folders of programs']],
    about: 'find every error in programs, without a run',
    options: [KIND, TOOLS, PROGRAMS, ...flagsOf('validate'), ...COMPANION_FLAGS, ...COMMON],
    examples: ['validate refund.workflow.json', 'validate alerts.dataflow.json --write-adapter'],
    action: withMemoryStore(async () => {
      const { validate } = await import('./verbs/validate.ts')
      return (session, words, flags) => validate(session, words, flags)
    }),
  },
  {
    name: 'test',
    words: [
      ['<program>', 'a dataflow graph'],
      ['[conditions]', 'a file of conditions; default: NAME.test.json beside the program'],
    ],
    about: 'search events that break a condition, and print the shortest ones',
    options: [
      repeatableOption('--holds <condition>', 'a condition in CEL that every pass must meet; repeatable'),
      new Option('--seed <n>', 'another search: equal seeds try equal events; default: 1'),
      new Option('--events <n>', 'the most events to try; default: 10000'),
      ...flagsOf('test'),
      KIND,
      TOOLS,
      PROGRAMS,
      ...COMMON,
    ],
    examples: ["test orders.dataflow.json --holds 'size(fired) <= 1'", 'test orders.dataflow.json --seed 7 --events 100000'],
    action: withMemoryStore(async () => {
      const { test } = await import('./verbs/test.ts')
      return (session, [program = '', conditions], flags) => test(session, program, conditions, flags)
    }),
  },
  {
    name: 'learn',
    words: [
      ['[action]', 'snapshot: find skills in the ended runs; import: read transcripts of other agents; absent: snapshot'],
      ['[file...]', 'for import: the transcripts'],
    ],
    usage: '[ACTION]',
    about: 'find skills in ended runs, and write drafts of them',
    options: [
      new Option('--window <runs>', 'for snapshot: the number of newest runs that succeeded; default: 10000'),
      new Option('--support <share>', 'the least share of runs with a pattern; default: 0.02'),
      new Option('--success <share>', 'the least share of its occurrences in which every call succeeded; default: 0.95'),
      new Option('--cost <ratio>', 'the most that a skill may cost, as a share of what the calls cost without it; default: 0.6'),
      new Option('--env <name>', 'the environment: of the runs that are mined, by their label, and of the registry; default: all runs'),
      new Option('--out <dir>', 'the folder of drafts; default: skills. A file that a person has changed is never replaced'),
      new Option('--dry', 'print what would be kept and dropped; write no draft, and keep nothing in the registry'),
      new Option('--format <format>', 'for import: the format of the transcripts; default: as their content shows'),
      TOOLS,
      BY,
      ...COMMON,
    ],
    examples: ['learn snapshot --tools shop.ts', 'learn snapshot --dry --support 0.1', 'learn import session.jsonl'],
    action: async (console, words, flags) => {
      const load = async (): Promise<SessionAction> => (await import('./verbs/learn.ts')).learnVerb
      // Only transcripts that are imported need a store.
      return (words[0] === 'import' && words.length > 1 ? withStore(load) : withExistingStore(load))(console, words, flags)
    },
  },
  {
    name: 'fmt',
    words: [['<file...>', 'programs, or folders of programs; - for standard input']],
    about: 'rewrite programs in the standard form of their format; comments stay',
    options: [
      new Option('--check', 'write nothing; exit with 1 if anything would change'),
      new Option('--to <form>', 'print one program in another form: json or xml for trees'),
      KIND,
      ...COMMON,
    ],
    examples: ['fmt review.dot', 'fmt --check .', 'fmt patrol.lua --to xml'],
    action: withoutStore(async () => {
      const { fmt } = await import('./verbs/fmt.ts')
      return (console, files, flags) => fmt(console, files, flags)
    }),
  },
  {
    name: 'check',
    words: [['[file...]', 'changed programs; default: the files from which the runs were started']],
    about: 'find open runs that would break on changed programs',
    options: [KIND, TOOLS, PROGRAMS, ...COMMON],
    examples: ['check refund.workflow.json', 'check --json'],
    action: withExistingStore(async () => {
      const { check } = await import('./verbs/check.ts')
      return (session, files, flags) => check(session, files, flags)
    }),
  },
  {
    name: 'graph',
    words: [['<program>', 'a file, a folder with one program, or a run: RUN, RUN@21, or RUN@21.3 for part 3 of record 21']],
    about: 'draw a program, or the path of a run in it',
    options: [
      new Option('--svg <file>', 'write an SVG image, for light and dark pages; - for standard output'),
      KIND,
      TOOLS,
      PROGRAMS,
      ...COMMON,
    ],
    examples: [
      'graph refund.workflow.json',
      'graph refund.workflow.json --svg refund.svg',
      'graph otter@21',
      'graph finch@12.3 --svg episode.svg',
    ],
    action: withoutStore(async () => {
      const { graph } = await import('./verbs/graph.ts')
      return (console, [what = ''], flags) => graph(console, what, flags)
    }),
  },
  {
    name: 'explain',
    words: [['<code>', 'R1042, the name of an error, such as INVALID_EDGE, or an operation of pipelines, such as shell']],
    about: 'explain an error code or an operation of pipelines',
    options: COMMON,
    examples: ['explain R1042', 'explain file.write'],
    action: withoutStore(async () => {
      const { explain } = await import('./verbs/explain.ts')
      return (console, [code = '']) => explain(console, code)
    }),
  },
  {
    name: 'schema',
    words: [['[name]', 'workflow, pipeline, policy, answers, config, output; default: list them']],
    about: 'print the JSON Schema of a file, or of the output of --json',
    options: COMMON,
    examples: ['schema workflow', 'schema policy', 'schema output'],
    action: withoutStore(async () => {
      const { schema } = await import('./verbs/schema.ts')
      return (console, [name]) => Promise.resolve(schema(console, name))
    }),
  },
  {
    name: 'doctor',
    words: [],
    about: 'check this machine, and print every setting with its origin',
    options: [BY, POLICY, PROGRAMS, ...COMMON],
    examples: ['doctor'],
    action: withoutStore(async () => {
      const { doctor } = await import('./verbs/doctor.ts')
      return (console, _words, flags) => doctor(console, flags)
    }),
  },
  {
    name: 'completion',
    words: [['<shell>', 'bash, zsh, fish']],
    about: 'print a script that completes this command in a shell',
    options: COMMON,
    examples: ['completion bash'],
    action: withoutStore(async () => {
      const { completion } = await import('./verbs/completion.ts')
      return (console, [shell = '']) => Promise.resolve(completion(console, shell))
    }),
  },
  {
    name: 'export',
    words: [['[run]', 'a run, or skill:ID; or use --all']],
    about: 'write a run as an archive, or every run as tables',
    options: [
      new Option('-o, --output <file>', 'the file to write; default: standard output'),
      new Option('--sign-secret-file <file>', 'sign the archive with the secret in a file'),
      new Option('--through <segment>', 'end with this sealed segment; reflex show lists the segments'),
      new Option('--forget', 'then remove these records from the store; default of --through: the last sealed segment'),
      new Option('--all', 'write every run of the store as tables, into the folder that -o names'),
      new Option(
        '--format <format>',
        'with --all, the format of the tables: jsonl, parquet; with a run, another format of its kind: bundle for graphs; with a skill: skill-md',
      ),
      ...COMMON,
    ],
    examples: [
      'export otter -o otter.run.jsonl',
      'export otter --through 3 --forget -o archives',
      'export --all --format parquet -o tables',
      'export finch --format bundle -o finch.bundle.json',
      'export skill:refund.lost_parcel --format skill-md -o skills',
    ],
    action: withExistingStore(async () => {
      const { exportRuns } = await import('./verbs/export.ts')
      return (session, [ref], flags) => exportRuns(session, ref, flags)
    }),
  },
  {
    name: 'import',
    words: [['<file>', 'an archive that reflex export wrote, or a capture; - for standard input']],
    about: 'verify an archive or a capture, and store its run',
    options: [
      new Option('--secret-file <file>', 'refuse an archive that is not signed with the secret in this file'),
      new Option('--id <name>', 'store the run under this name'),
      new Option('--against <file>', 'import a file of export --format, which does not contain its program: this one'),
      ...flagsOf('import'),
      ...COMMON,
    ],
    examples: [
      'import otter.run.jsonl',
      'import otter.run.jsonl --secret-file team.secret',
      'import finch.bundle.json --against alerts.dataflow.json',
    ],
    action: withStore(async () => {
      const { importRun } = await import('./verbs/import.ts')
      return (session, [file = ''], flags) => importRun(session, file, flags)
    }),
  },
  {
    name: 'gc',
    words: [],
    about: 'remove unused data, old runs and their folders; compress segments',
    options: [
      new Option('--keep <time>', 'remove runs that ended longer ago than this, such as 30d, 12h; default: REFLEX_KEEP, else keep all'),
      new Option('--dry-run', 'show what would be removed, and remove nothing'),
      ...COMMON,
    ],
    examples: ['gc --dry-run', 'gc --keep 30d'],
    action: withExistingStore(async () => {
      const { gc } = await import('./verbs/gc.ts')
      return (session, _words, flags) => gc(session, flags)
    }),
  },
  {
    name: 'init',
    words: [['[folder]', 'the folder to write to; created if missing; default: this folder']],
    about: 'write a first program, and show the next commands',
    options: [new Option('--first <what>', 'program, or agent: an agent with its tools and a skill; default: program'), ...COMMON],
    examples: ['init', 'init hello', 'init --first agent'],
    action: withoutStore(async () => {
      const { init } = await import('./verbs/init.ts')
      return (console, [folder], flags: { readonly first?: string }) => Promise.resolve(init(console, folder, flags.first))
    }),
  },
]

/** The verbs that kinds bring. */
const KIND_VERBS: readonly Verb[] = (KINDS as readonly AnyKindModule[]).flatMap(({ verbs = [] }) =>
  verbs.map(({ name, about, examples, load }) => ({
    name,
    words: [['<run>', 'a run, or RUN@N for its state after record N']] as const,
    about,
    options: COMMON,
    examples,
    action: withExistingStore(async () => {
      const [{ kindVerb }, look] = await Promise.all([import('./verbs/kind-verb.ts'), load()])
      return (session, [ref = '']) => kindVerb(session, ref, { name, look })
    }),
  })),
)

/** Every verb of the command. */
export const actions: readonly Verb[] = [...SHARED, ...KIND_VERBS]
