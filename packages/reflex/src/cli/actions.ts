import { Option } from 'commander'
import type { Action, Verb } from './verb.ts'
import type { Session } from './session.ts'

const collect = (word: string, before: readonly string[] | undefined): readonly string[] => [...(before ?? []), word]
const repeatableOption = (flags: string, about: string): Option => new Option(flags, about).argParser(collect)

/** Go with every command. */
const COMMON: readonly Option[] = [
  new Option('--store <path>', 'the store; default: REFLEX_STORE, else the nearest .reflex/reflex.db'),
  new Option('--json', 'one JSON document on standard output'),
  new Option('--jsonl', 'one JSON object per line, records as they become durable'),
  new Option('-q, --quiet', 'results and faults alone'),
  new Option('-v, --verbose', 'writes, and what was closed at a choice'),
  new Option('--ids', 'trace ids as well'),
  new Option('--no-color', 'no colours, as NO_COLOR'),
]

const LEVELS = 'untrusted, probationary, trusted, veteran, autonomous'
const SIMULATE = new Option(
  '--simulate',
  'nothing leaves this machine: models, commands and other tools are simulated; the run never becomes real',
)
const BY = new Option('--by <name>', 'who acts, for the journal; default: REFLEX_ACTOR, else the user')
const ANSWERS = new Option('--answers <who>', 'ask, none, auto, or a file; default: ask at a terminal, else none')
const POLICY = repeatableOption('--policy <file>', 'what is allowed and denied beside the trust; default: REFLEX_POLICY')
const PROGRAMS = repeatableOption('--programs <dir>', 'where programs are looked up by name, after the own folder')
const AGENT = repeatableOption('--agent <agent>', 'who decides: NAME, NODE=NAME, or a file of decisions; repeatable')
const MODEL = new Option('--model <name>', 'provider:name, where no node names a model; default: REFLEX_MODEL')
const RECORDED = new Option('--recorded <file>', 'replies that stand in for every model')
const TOOLS = repeatableOption('--tools <module>', 'a module of tools that programs may call; repeatable')
const RECORD = new Option('--record <file>', 'add every reply of a model to a file')
const KIND = new Option('--kind <kind>', 'the kind, where the name of the file does not tell it')

/** Runs a verb in an open store. */
type SessionAction = (session: Session, words: readonly string[], flags: Record<string, unknown>) => Promise<number>

/** A verb is imported when it is called: a command loads only what it needs. */
const withStore = (load: () => Promise<SessionAction>): Action => {
  return async (console, words, flags) => {
    const [{ withReflex }, act] = await Promise.all([import('./session.ts'), load()])
    return withReflex(console, flags, (session) => act(session, words, flags))
  }
}

/** For verbs that start nothing. */
const withExistingStore = (load: () => Promise<SessionAction>): Action => {
  return async (console, words, flags) => {
    const [{ withStoredRuns }, act] = await Promise.all([import('./session.ts'), load()])
    return withStoredRuns(console, flags, (session) => act(session, words, flags))
  }
}

/** For verbs that need the programs of the library and no run. */
const withMemoryStore = (load: () => Promise<SessionAction>): Action => {
  return (console, words, flags) => withStore(load)(console, words, { ...flags, store: 'memory:' })
}

/** For verbs that need no store. */
const withoutStore = (load: () => Promise<Action>): Action => {
  return async (console, words, flags) => (await load())(console, words, flags)
}

/** Every verb of the command, in the order of its help. */
export const actions: readonly Verb[] = [
  {
    name: 'run',
    words: [['<program>', 'a file, or a folder with one program']],
    about: 'start a run',
    options: [
      repeatableOption('-i, --input <input>', 'k=text, k:=JSON, k=@file, or @file.json for all; repeatable'),
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
      new Option('--agent-id <name>', 'the agent for whom the run acts: it decides the memory and the rules of a policy'),
      new Option('--id <name>', 'the name of the run; drawn if absent'),
      new Option('--logs <dir>', "a pipeline's run folder; default: runs/RUN beside the store"),
      new Option('--max-steps <count>', 'executed nodes after which a pipeline fails; default: 10000'),
      new Option('--branch-steps <count>', 'executed nodes after which a branch of a pipeline fails; default: 100'),
      new Option(
        '--on-unrouted-failure <how>',
        'a failure in a pipeline that nothing catches: fail the run, or lenient: follow the plain edges',
      ),
      new Option('--dead-end <how>', 'a stage of a pipeline without an edge to follow: end the run as a success, or fail it'),
      new Option('--persist-artifacts', "keep small artifacts as files of a pipeline's run folder too"),
      new Option('--resume-from <file>', 'begin where a checkpoint of the pipeline stands'),
      new Option('--force', 'resume although the checkpoint is of another graph'),
      new Option('--hmac-secret-file <file>', 'sign checkpoints, and prove the one that is resumed from'),
      new Option('--no-validate', "leave out a pipeline's lint rules"),
      new Option('--no-cache', 'parse every text again, as the command always does'),
      ...COMMON,
    ],
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
    name: 'resume',
    words: [['<run>', 'a run; to see what it would do, fork it with --simulate and resume that']],
    about: 'continue a run that was left or stopped',
    options: [
      AGENT,
      MODEL,
      RECORD,
      RECORDED,
      ANSWERS,
      BY,
      new Option('--budget <limits>', 'new limits for the whole run, where it waits because its budget is spent'),
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
      ['<answer...>', '[QUESTION] VALUE: text, :=JSON, @file; the question where the run has several'],
    ],
    usage: 'RUN [QUESTION] VALUE',
    about: 'answer a question, then continue the run',
    options: [BY, new Option('--no-run', 'only record the answer'), ANSWERS, RECORD, POLICY, PROGRAMS, ...COMMON],
    examples: ['answer otter approve', 'answer otter q2 \':={"total":84}\'', 'answer otter/q2 @letter.txt'],
    action: withExistingStore(async () => {
      const { answer } = await import('./verbs/answer.ts')
      return (session, words, flags) => answer(session, words, flags)
    }),
  },
  {
    name: 'signal',
    words: [
      ['<run>', 'a run that waits for a message now or later'],
      ['<topic>', 'the topic that it waits for'],
      ['[value]', 'text, :=JSON, @file; nothing if absent'],
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
    words: [['<run>', 'a run that has not ended']],
    about: 'end a run; its programs can run compensation steps',
    options: [
      new Option('--reason <text>', 'why, for the journal'),
      new Option('--wait <duration>', 'how long to wait for the process that holds the run (10s)'),
      BY,
      POLICY,
      PROGRAMS,
      ...COMMON,
    ],
    examples: ['cancel otter', "cancel otter --reason 'the order was withdrawn'"],
    action: withExistingStore(async () => {
      const { cancel } = await import('./verbs/cancel.ts')
      return (session, [ref = ''], flags) => cancel(session, ref, flags)
    }),
  },
  {
    name: 'worker',
    words: [],
    about: 'run everything that is due until stopped',
    options: [
      new Option('--most <count>', 'runs at the same time; default: 64'),
      new Option('--once', 'end when nothing is due'),
      new Option('--lease <time>', 'silence after which others take over, as 30s; default: 15s'),
      new Option('--grace <time>', 'time for effects under way when the worker is stopped; default: 5s'),
      RECORD,
      POLICY,
      PROGRAMS,
      ...COMMON,
    ],
    examples: ['worker', 'worker --once'],
    action: withStore(async () => {
      const { worker } = await import('./verbs/worker.ts')
      return (session, _words, flags) => worker(session, flags)
    }),
  },
  {
    name: 'runs',
    words: [],
    about: 'list the runs, the newest first',
    options: [
      new Option('--status <status>', 'running, suspended, completed, failed, cancelled; several with commas'),
      new Option('--since <time>', 'changed in the last 2h, 3d, or since a date'),
      new Option('--limit <count>', 'how many at most; default: 50'),
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
    about: 'show where a run stands: stack, open edges, values',
    options: [new Option('--artifacts', 'what nodes have stored beside the context; --json has the data'), ...COMMON],
    examples: ['show otter', 'show otter@21', 'show otter --artifacts --json'],
    action: withExistingStore(async () => {
      const [{ show }, { artifacts }] = await Promise.all([import('./verbs/show.ts'), import('./verbs/artifacts.ts')])
      return (session, [ref = ''], flags) => ('artifacts' in flags ? artifacts(session, ref) : show(session, ref))
    }),
  },
  {
    name: 'trace',
    words: [['<run>', 'a run, or RUN@N as far as record N']],
    about: 'print what happened, record by record',
    options: COMMON,
    examples: ['trace last', 'trace otter@21', 'trace otter --jsonl'],
    action: withExistingStore(async () => {
      const { trace } = await import('./verbs/trace.ts')
      return (session, [ref = '']) => trace(session, ref)
    }),
  },
  {
    name: 'replay',
    words: [['<run>', 'a run']],
    about: 'make every decision again, and compare with what was recorded',
    options: [new Option('--against <file>', 'a changed program instead of the recorded one'), KIND, TOOLS, PROGRAMS, ...COMMON],
    examples: ['replay otter', 'replay otter --against refund.workflow.json'],
    action: withExistingStore(async () => {
      const { replay } = await import('./verbs/replay.ts')
      return (session, [ref = ''], flags) => replay(session, ref, flags)
    }),
  },
  {
    name: 'fork',
    words: [['<run>', 'RUN@N: the last record that both share; without @N its last one']],
    about: 'make another run from a record; it does nothing until it is resumed',
    options: [
      repeatableOption('--set <value>', 'written to the board: k=text, k:=JSON, k=@file; repeatable'),
      new Option(
        '--decide <edge>',
        'the edge that the open decision takes, or the answer to the open question; PLACE=EDGE where there are several',
      ),
      new Option('--trust <level>', `${LEVELS}; default: as far as its source`),
      SIMULATE,
      new Option('--id <name>', 'the name of the fork; drawn if absent'),
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
      ['<run>', 'a run, or RUN@N for its state after record N'],
      ['<what>', 'a node, a key of the board, or @N for a record; node:NAME or key:NAME where both have the name'],
    ],
    about: 'follow a value or a decision back to its causes',
    options: COMMON,
    examples: ['why otter decide', 'why otter identity', 'why otter key:decide', 'why otter @11'],
    action: withExistingStore(async () => {
      const { why } = await import('./verbs/why.ts')
      return (session, [ref = '', what = '']) => why(session, ref, what)
    }),
  },
  {
    name: 'diff',
    words: [
      ['<run>', 'a run, or RUN@N as far as record N'],
      ['[other]', 'the run, or the record, that it is compared with'],
    ],
    about: 'show what differs between two runs, or two records of one',
    options: [
      new Option('--text', 'texts that differ line by line'),
      new Option('--replay', 'compare a run with its replay instead'),
      ...COMMON,
    ],
    examples: ['diff otter crane', 'diff otter@11 otter@21', 'diff otter --replay'],
    action: withExistingStore(async () => {
      const { diff } = await import('./verbs/diff.ts')
      return (session, words, flags) => diff(session, words, flags)
    }),
  },
  {
    name: 'validate',
    words: [['<file...>', 'programs, or folders of programs']],
    about: 'find everything that is wrong, without a run',
    options: [KIND, TOOLS, PROGRAMS, ...COMMON],
    examples: ['validate refund.workflow.json'],
    action: withMemoryStore(async () => {
      const { validate } = await import('./verbs/validate.ts')
      return (session, words, flags) => validate(session, words, flags)
    }),
  },
  {
    name: 'fmt',
    words: [['<file...>', 'programs, or folders of programs; - for standard input']],
    about: 'write programs in the one form of their format, comments kept',
    options: [new Option('--check', 'write nothing; exit with 1 if anything would change'), KIND, ...COMMON],
    examples: ['fmt review.dot', 'fmt --check .'],
    action: withoutStore(async () => {
      const { fmt } = await import('./verbs/fmt.ts')
      return (console, files, flags) => fmt(console, files, flags)
    }),
  },
  {
    name: 'check',
    words: [['[file...]', 'changed programs; default: the files that the runs were started with']],
    about: 'find which open runs would break on changed programs',
    options: [KIND, TOOLS, PROGRAMS, ...COMMON],
    examples: ['check refund.workflow.json', 'check --json'],
    action: withExistingStore(async () => {
      const { check } = await import('./verbs/check.ts')
      return (session, files, flags) => check(session, files, flags)
    }),
  },
  {
    name: 'graph',
    words: [['<program>', 'a file, a folder with one program, or a run: RUN, RUN@21']],
    about: 'draw a program, or the path of a run in it',
    options: [
      new Option('--svg <file>', 'an image instead, for light and dark pages; - for standard output'),
      KIND,
      TOOLS,
      PROGRAMS,
      ...COMMON,
    ],
    examples: ['graph refund.workflow.json', 'graph refund.workflow.json --svg refund.svg', 'graph otter@21'],
    action: withoutStore(async () => {
      const { graph } = await import('./verbs/graph.ts')
      return (console, [what = ''], flags) => graph(console, what, flags)
    }),
  },
  {
    name: 'explain',
    words: [['<code>', 'R1042, a code of a seed, such as INVALID_EDGE, or an operation of pipelines, such as shell']],
    about: 'explain a code of a message, or what a node can do',
    options: COMMON,
    examples: ['explain R1042', 'explain file.write'],
    action: withoutStore(async () => {
      const { explain } = await import('./verbs/explain.ts')
      return (console, [code = '']) => Promise.resolve(explain(console, code))
    }),
  },
  {
    name: 'schema',
    words: [['[name]', 'workflow, pipeline, policy, answers, config, output; without it: what there is']],
    about: 'print the JSON Schema of a file, or of what --json writes',
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
    about: 'print the script that lets a shell complete this command',
    options: COMMON,
    examples: ['completion bash'],
    action: withoutStore(async () => {
      const { completion } = await import('./verbs/completion.ts')
      return (console, [shell = '']) => Promise.resolve(completion(console, shell))
    }),
  },
  {
    name: 'export',
    words: [['[run]', 'a run; without it --all']],
    about: 'write a run as an archive, or every run as tables',
    options: [
      new Option('-o, --output <file>', 'where to; default: standard output'),
      new Option('--sign-secret-file <file>', 'sign the archive with the secret in a file'),
      new Option('--all', 'every run of the store, as tables in the folder that -o names'),
      new Option('--format <format>', 'of the tables: jsonl, parquet; default: jsonl'),
      ...COMMON,
    ],
    examples: ['export otter -o otter.run.jsonl', 'export --all --format parquet -o tables'],
    action: withExistingStore(async () => {
      const { exportRuns } = await import('./verbs/export.ts')
      return (session, [ref], flags) => exportRuns(session, ref, flags)
    }),
  },
  {
    name: 'import',
    words: [['<file>', 'an archive that reflex export has written; - for standard input']],
    about: 'store the run of an archive, if all of it is right',
    options: [
      new Option('--secret-file <file>', 'refuse an archive that the secret in this file has not signed'),
      new Option('--id <name>', 'another name for the run'),
      ...COMMON,
    ],
    examples: ['import otter.run.jsonl', 'import otter.run.jsonl --secret-file team.secret'],
    action: withStore(async () => {
      const { importRun } = await import('./verbs/import.ts')
      return (session, [file = ''], flags) => importRun(session, file, flags)
    }),
  },
  {
    name: 'gc',
    words: [],
    about: 'remove what nothing needs: programs, values, old runs, their folders',
    options: [
      new Option('--keep <time>', 'ended runs go after 30d, 12h; default: REFLEX_KEEP, else they stay'),
      new Option('--dry-run', 'only tell what would go'),
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
    words: [['[folder]', 'where; made if it is not there; default: here']],
    about: 'write a first program, and say what to type next',
    options: COMMON,
    examples: ['init', 'init hello'],
    action: withoutStore(async () => {
      const { init } = await import('./verbs/init.ts')
      return (console, [folder]) => Promise.resolve(init(console, folder))
    }),
  },
]
