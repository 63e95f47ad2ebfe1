/**
 * The arrow table: which room of packages/reflex/src may import which, and the order of the folders inside a room. A room is a
 * folder of src, and each kind is one. Imports of types count. Cycles between files are found by oxlint (`import/no-cycle`).
 */
import { globSync, readFileSync } from 'node:fs'
import { posix, resolve } from 'node:path'

const KERNEL = ['kernel']
const TEXT = [...KERNEL, 'text']
const PORTS = [...TEXT, 'policy', 'store', 'models', 'tools', 'people']
const RUNS = [...PORTS, 'programs', 'history', 'runs']
export const KINDS = ['kinds/workflow', 'kinds/pipeline', 'kinds/tree', 'kinds/dataflow', 'kinds/skill']
const AGENTS = [...RUNS, ...KINDS, 'agents']
const HOUSE = [...AGENTS, 'mcp']

export const ARROWS: Readonly<Record<string, readonly string[]>> = {
  kernel: [],
  // Runs in browsers, too: it has its types from the schemas of the routes, and imports nothing.
  client: [],
  text: KERNEL,
  policy: KERNEL,
  store: KERNEL,
  tools: KERNEL,
  // One checker of JSON Schemas for answers of models and people, and for boards.
  models: TEXT,
  people: TEXT,
  programs: PORTS,
  history: [...PORTS, 'programs'],
  runs: [...PORTS, 'programs', 'history'],
  ...Object.fromEntries(KINDS.map((kind) => [kind, RUNS])),
  agents: [...RUNS, 'kinds/workflow'],
  // Servers of tools: their tools are those of the house, their rights those of the policy.
  mcp: [...TEXT, 'policy', 'tools'],
  app: HOUSE,
  learn: [...HOUSE, 'app'],
  // A wrapped agent is shown the skills of the registry.
  wrap: [...HOUSE, 'app', 'learn'],
  // The catalogue has the faults of every room.
  protocol: [...HOUSE, 'app', 'wrap', 'learn'],
  pictures: [...HOUSE, 'app', 'protocol'],
  // The routes of a control plane keep skills.
  serve: [...HOUSE, 'app', 'learn', 'protocol', 'pictures'],
  testing: [...HOUSE, 'app', 'wrap', 'learn', 'protocol', 'pictures', 'serve'],
  cli: [...HOUSE, 'app', 'wrap', 'learn', 'protocol', 'pictures', 'serve', 'testing'],
  door: [...HOUSE, 'app', 'wrap', 'learn', 'protocol', 'pictures', 'serve', 'testing', 'cli'],
}

/** The folders of a room from the lowest up: each imports those before it. The door of the room lies beside them, above all. */
export const INNER: Readonly<Record<string, readonly string[]>> = {
  kernel: ['journal', 'state', 'step', 'ports', 'run'],
  'kinds/workflow': ['types', 'model', 'guards', 'proof', 'check', 'file', 'step', 'engine', 'face'],
  'kinds/pipeline': ['dot', 'language', 'model', 'contract', 'check', 'engine', 'operations', 'folder', 'face'],
  'kinds/dataflow': [
    'model',
    'manifests',
    'primitives',
    'documents',
    'clusters',
    'graph',
    'adapter',
    'pass',
    'supervisor',
    'run',
    'channels',
    'capture',
    'proofs',
    'search',
    'face',
  ],
  'kinds/skill': ['model', 'templates', 'manifest', 'gate', 'protocol', 'bulletin', 'ledger', 'control', 'plan', 'turn', 'face'],
  learn: ['shapes', 'mine', 'compile', 'ci', 'registry', 'control', 'formats', 'snapshot'],
  wrap: ['dialects', 'session', 'adapters'],
  'kinds/tree': ['model', 'lua', 'board', 'manifest', 'nodes', 'compile', 'formats', 'check', 'tick', 'reload', 'debug', 'seed', 'face'],
}

/**
 * The doors of a room are its `index.ts` and its `faults.ts`, which loads no room. Most commands use one part of the rooms below, so
 * these have a door for each part. Other rooms import from doors only.
 */
export const DOORS: Readonly<Record<string, readonly string[]>> = {
  programs: [
    // What a kind brings.
    'kind-module',
    'kind-view',
    'inside-view',
    'run-captures',
    'live-runs',
    'property-tests',
    'language',
    'host-parts',
    'part-help',
    'route',
    'verb',
    'run-options',
    // Programs and their texts.
    'kinds',
    'library',
    'load-body',
    'graph',
    'program-folder',
    'program-types',
    'cycles',
    'file-above',
    'read-module',
    'read-text',
    'unreadable',
    // Rights of programs that a run wrote.
    'labelled-files',
    'labelled-tools',
    'written-by',
  ],
  history: [
    'trace',
    'trace-of',
    'causes',
    'inside',
    'comparing',
    'effects',
    'first-difference',
    'model-usage',
    'record-text',
    'run-name',
    'archive/export',
    'archive/forget',
    'archive/format',
    'archive/import',
    'tables/draft-files',
    'tables/export-tables',
    'telemetry/api',
    'telemetry/observer',
    'telemetry/spans',
  ],
  runs: [
    'abandoned-runs',
    'address',
    'answering',
    'cancel-matching',
    'cancelling',
    'collecting',
    'find-run',
    'fork-decision',
    'fork-preview',
    'handle',
    'listing',
    'possible-effects',
    'run-models',
    'runtime-questions',
    'signalling',
    'view',
  ],
  'kinds/workflow': [
    'face/module',
    'face/runtime',
    // What agents are made of.
    'face/host-options',
    'check/verify',
    'guards/guards',
    'model/board-schemas/board-schemas',
    'step/preparation',
    // Programs, for scripted tests.
    'model/compile',
    'model/define',
  ],
  'kinds/pipeline': ['face/module', 'contract/conversation', 'engine/offers'],
  'kinds/tree': ['face/module'],
  'kinds/dataflow': ['face/module'],
  'kinds/skill': [
    'face/module',
    // What wrapped agents read and write of the protocol.
    'model/protocol',
    'protocol/native',
    'protocol/reply-reader',
    'protocol/faults',
    'bulletin/guidance',
    'model/card',
    // Turns of wrapped agents.
    'model/turn',
    'turn/turn',
    'turn/position',
    'turn/host',
    // For the runs of imported transcripts.
    'turn/kind',
    'turn/ports',
    'turn/mask-reply',
    'face/turn-module',
    // What control planes and their clients say to each other.
    'control/messages',
    'control/client',
    'control/sender',
    'control/settings',
    'control/faults',
    'bulletin/candidates',
    // Manifests and the registry, for those who learn, test and keep skills.
    'model/decision',
    'model/manifest',
    'model/slot',
    'model/skill-tool',
    'manifest/canonical',
    'manifest/prompts',
    'manifest/read-skill',
    'manifest/version',
    'ledger/entries',
    'ledger/split',
    'plan/project-file',
    'plan/skill-host',
    // The hash of a value by the platform, in a tenth of the time of that of the kernel.
    'gate/sha256',
    // Decisions that nobody carries out: previews, shadows, savings.
    'face/inputs',
    'gate/decide',
    // The words of users, as the gate compares them with those that are learned.
    'gate/words',
    'gate/saving',
    'gate/shadow',
    // Simulated executions, for tests of skills.
    'bulletin/bulletin',
    'bulletin/tokens',
    'face/tools',
    'gate/explain',
    'manifest/compiled',
    'manifest/mutations',
    'manifest/slot-values',
    'model/card',
    'model/plan-result',
    'plan/args',
    'plan/board-roots',
    'plan/compiled-plan',
    'plan/kind',
    'plan/confirm-port',
    'plan/look-port',
    'plan/recorded-decision',
    'plan/registry-port',
    'plan/skill-program',
    'protocol/format-result',
  ],
  learn: [
    'ci/case',
    'ci/junit',
    'ci/test-skill',
    'control/control-plane',
    'control/figures',
    'control/routes',
    'control/promote',
    'control/sync',
    'control/telemetry',
    'registry/break-even',
    'registry/compare',
    'registry/eviction',
    'registry/faults',
    'registry/kept-skill',
    'registry/look-after',
    'registry/preview',
    'registry/registry',
    'registry/rollout',
    'registry/what-if',
    'registry/skill-file',
    // For the verb `learn`.
    'formats/detect',
    'formats/import-transcripts',
    'formats/read-agent-skill',
    'formats/skill-markdown',
    'mine/params',
    'mine/pattern',
    'mine/rejected',
    'snapshot/draft-folder',
    'snapshot/learn-folder',
    'snapshot/project-registry',
    'snapshot/report-texts',
    'snapshot/snapshot',
    'snapshot/snapshot-document',
  ],
  wrap: ['session/faults'],
  // Without a server: schedules of a store are changed by the command, and fired by workers, which answer probes.
  serve: ['metrics', 'ready', 'triggers/config', 'triggers/scheduler', 'triggers/schedules'],
  pictures: ['cause-picture', 'dot', 'drawing', 'layout', 'mark', 'picture'],
  protocol: ['catalogue', 'plain', 'shapes', 'schemas', 'documents', 'view-document', 'record-document'],
  app: [
    // Files beside programs that flags name, for commands that run nothing.
    'kind-options',
    'reflex',
    'kinds',
    'options',
    'options-by-kind',
    'assembly',
    'host',
    'home',
    'config',
    'config-file',

    'known-stores',
    'secret-file',
    'worker',
    'cluster/faults',
    'cluster/names',
    'cluster/open',
    'cluster/work',
    'forking',
    'replaying',
    'replaying-check',
    'replaying-difference',
    'replaying-changed',
  ],
}

/** The files of the other rooms that are imported past the door, with the reason. */
export const SIDE_DOORS: Readonly<Record<string, string>> = {
  'text/json-schema/check.ts': 'loads zod, and most commands do not',
  'text/json-schema/schema-findings.ts': 'loads zod, and most commands do not',
  'policy/label.ts': 'labels of values are not public',
  'policy/written-labels.ts': 'labels of values are not public',
  'store/postgres/faults.ts': 'a catalogue loads no room',
  'store/cluster-faults.ts': 'a catalogue loads no room',
  'store/schema.ts': 'the layout of tables is not public',
  'tools/paths.ts': 'paths are not public, and the command looks for its store with them',
  'tools/capability.ts': 'the command judges paths with it, and loads no tool',
  'tools/http-exchange.ts': 'requests to checked addresses are not public, and deliveries are such requests',
  'tools/sandbox.ts': 'servers of tools run in the sandbox of commands',
  'tools/inherited-handles.ts': 'servers of tools inherit no handle',
  'tools/addresses.ts': 'servers of tools are reached at public addresses',
  'tools/full-output.ts': 'files of a run are written as tools write them',
  'tools/tool.ts': 'the contract of tools alone loads no tool',
  'models/simulated.ts': 'simulated tools answer as simulated models do',
  'agents/duration.ts': 'a list of runs loads no agent',
  'agents/agent.ts': 'marks for scripted agents are not public',
  'agents/edges.ts': 'names of edges are not public',
  'agents/decision-agents.ts': 'the kind of workflows loads its agents when it is met',
}

/** Rooms that import no package and nothing of Node. */
const BARE_ROOMS: readonly string[] = ['kernel', 'client']

export interface Finding {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly message: string
  readonly fix: string
}

interface Import {
  readonly target: string
  readonly offset: number
}

const COMMENT = String.raw`\/\/[^\n]*|\/\*[\s\S]*?\*\/`
const IMPORTS = new RegExp(
  [
    String.raw`^[ \t]*(?:import|export)\b(?:[\w$\s{},*]|${COMMENT})*?\bfrom\s*(['"])(?<from>[^'"\n]+)\1`,
    String.raw`^[ \t]*import\s*(['"])(?<bare>[^'"\n]+)\2`,
    String.raw`\bimport\(\s*(['"\`])(?<called>[^'"\`\n]+)\3`,
  ].join('|'),
  'gm',
)

/** Every import, re-export, dynamic import and type import of a source text. */
export function importsOf(text: string): Import[] {
  return [...text.matchAll(IMPORTS)].map((match) => {
    const target = match.groups?.['from'] ?? match.groups?.['bare'] ?? match.groups?.['called'] ?? ''
    return { target, offset: match.index + match[0].lastIndexOf(target) }
  })
}

/** The room of a file, given by its path below src: its folder, of a kind `kinds/NAME`. */
export function roomOf(file: string): string {
  const [room = '', kind = '', more] = file.split('/')
  if (kind === '') return 'door'
  return room === 'kinds' && more !== undefined ? `${room}/${kind}` : room
}

/** The place of a file among the folders of its room, the door being the highest; undefined where the folders have no order. */
function levelOf(file: string, room: string): number | undefined {
  const [folder = '', more] = file.slice(room.length + 1).split('/')
  const level = more === undefined ? INNER[room]?.length : INNER[room]?.indexOf(folder)
  return level === -1 ? undefined : level
}

/** What is wrong with an import inside a room. */
function judgeInside(room: string, file: string, path: string): { message: string; fix: string } | undefined {
  const [from, to] = [levelOf(file, room), levelOf(path, room)]
  if (from === undefined || to === undefined || to <= from) return undefined
  const [below, above] = [INNER[room]?.[from] ?? '', INNER[room]?.[to] ?? 'index.ts']
  return {
    message: `no arrow leads from ${room}/${below} to ${room}/${above}`,
    fix: `move what both need to ${below} or below it, or pass it in from ${above}`,
  }
}

/** What is wrong with one import, and what to do about it; undefined when the table allows it. */
function judge(file: string, target: string): { message: string; fix: string } | undefined {
  const room = roomOf(file)
  const allowed = ARROWS[room]
  if (allowed === undefined)
    return {
      message: `the room ${room} is not in the arrow table`,
      fix: 'use a room of ARCHITECTURE.md, or add it there and to scripts/arrows.ts',
    }
  if (/^reflex-runtime(\/|$)/.test(target))
    return { message: `${target} is this package's own door`, fix: 'import the file by its relative path' }
  if (!target.startsWith('.')) {
    if (!BARE_ROOMS.includes(room)) return undefined
    return {
      message: `${room} imports nothing but the language, this is ${target}`,
      fix: 'ask for it through a port or the host, or move the file to a room above',
    }
  }
  const path = posix.join(posix.dirname(file), target)
  if (path.startsWith('..')) return { message: `${target} leaves src`, fix: 'what a room needs lies in src' }
  const to = roomOf(path)
  if (to === room) return judgeInside(room, file, path)
  if (!allowed.includes(to)) return { message: `no arrow leads from ${room} to ${to}`, fix: fixFor(room, to) }
  if (isDoor(path, to)) return undefined
  const fix = DOORS[to] === undefined ? `import from ${to}/index.ts` : `import from a door of ${to}, or add one to scripts/arrows.ts`
  return { message: `${path} is behind the door of ${to}`, fix }
}

/** True for a file that other rooms may import. */
export function isDoor(path: string, room: string): boolean {
  const file = path.slice(room.length + 1, -'.ts'.length)
  return file === 'index' || file === 'faults' || DOORS[room]?.includes(file) === true || SIDE_DOORS[path] !== undefined
}

function fixFor(from: string, to: string): string {
  if (KINDS.includes(from) && KINDS.includes(to)) return "kinds meet on the kernel's call stack: call a program of the other kind"
  if (ARROWS[to]?.includes(from) === true) return `${to} may import ${from}: turn the arrow round, or pass what is needed in as an argument`
  return `${from} may import ${ARROWS[from]?.join(', ') || 'nothing'}: move what both need to one of these, or pass it in from app`
}

/** Checks sources, given by their path below src, against the table. */
export function checkArrows(sources: Iterable<readonly [file: string, text: string]>): Finding[] {
  const findings: Finding[] = []
  for (const [file, text] of sources) {
    for (const { target, offset } of importsOf(text)) {
      const verdict = judge(file, target)
      if (verdict === undefined) continue
      const before = text.slice(0, offset).split('\n')
      findings.push({ file, line: before.length, column: (before.at(-1)?.length ?? 0) + 1, ...verdict })
    }
  }
  return findings
}

/** What the package of the cluster imports: two doors of the runtime, its engine and the driver of Postgres. */
const CLUSTER = ['reflex-runtime/kernel', 'reflex-runtime/store', '@dbos-inc/dbos-sdk', 'pg']

/** Checks the sources of packages/cluster: the runtime knows it by one dynamic import, and it knows two doors of the runtime. */
export function checkCluster(sources: Iterable<readonly [file: string, text: string]>): Finding[] {
  return [...sources].flatMap(([file, text]) =>
    importsOf(text)
      .filter(({ target }) => !target.startsWith('.') && !CLUSTER.includes(target))
      .map(({ target, offset }) => {
        const before = text.slice(0, offset).split('\n')
        const place = { file, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
        return {
          ...place,
          message: `the cluster may not import ${target}`,
          fix: `import from ${CLUSTER.join(', ')}, or pass it in from app`,
        }
      }),
  )
}

/** Checks every file of a folder of sources, prints the findings, and fails the process if there are any. */
export function reportOn(
  name: string,
  check: (sources: readonly (readonly [file: string, text: string])[]) => readonly Finding[],
  src = 'packages/reflex/src',
): void {
  const root = resolve(import.meta.dirname, '..', src)
  const files = globSync('**/*.ts', { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .sort()
  const findings = check(files.map((file) => [file, readFileSync(resolve(root, file), 'utf8')] as const))
  for (const { file, line, column, message, fix } of findings)
    console.log(`error ${name}  ${src}/${file}:${line}:${column}  ${message}\n  fix: ${fix}`)
  console.log(`${name}: ${files.length} files, ${findings.length} findings`)
  if (findings.length > 0) process.exitCode = 1
}

if (process.argv[1] === import.meta.filename) {
  reportOn('arrows', checkArrows)
  reportOn('arrows', checkCluster, 'packages/cluster/src')
}
