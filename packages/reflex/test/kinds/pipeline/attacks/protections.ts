import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { isObject, type JsonObject } from '../../../../src/kernel/index.ts'
import type { TypedNode } from '../../../../src/kinds/pipeline/model/typed.ts'
import { isOn, listOf } from '../../../../src/kinds/pipeline/dot/graph.ts'
import type { Permissions, Handler, NodeContext, Steps } from '../../../../src/kinds/pipeline/contract/handler.ts'
import { readCheckpoint } from '../../../../src/kinds/pipeline/folder/read-checkpoint.ts'
import { isReserved } from '../../../../src/kinds/pipeline/engine/concluding.ts'
import type { Outcome } from '../../../../src/kinds/pipeline/contract/outcome.ts'
import { renderText } from '../../../../src/kinds/pipeline/language/render.ts'
import { loadPipeline } from '../../../../src/kinds/pipeline/face/read-pipeline.ts'
import { MANDATORY } from '../../../../src/kinds/pipeline/engine/mandatory.ts'
import { TRUSTED } from '../../../../src/policy/label.ts'
import { createPolicy, type JudgedCall, type OperatorPolicy, type PolicySettings } from '../../../../src/policy/index.ts'
import { createTools, type Tool, type ToolsSettings } from '../../../../src/tools/index.ts'
import type { Parts } from './composed.ts'
import {
  acting,
  backtracking,
  dispatching,
  forging,
  givingAll,
  starting,
  obeying,
  pasting,
  quoting,
  recalling,
  running,
} from './loose-handlers.ts'
import { looseHttp, looseRead, looseShell, looseWrite, withLoose } from './loose-tools.ts'

/** A protection, as it is taken away: the parts that stand in the place of others. */
type Without = (whole: Parts) => Partial<Parts>

const member =
  (name: string): Without =>
  () => ({ chain: (chain) => ({ ...chain, members: chain.members.filter((one) => one.name !== name) }) })

const policy =
  (change: (settings: PolicySettings) => PolicySettings): Without =>
  () => ({ policy: (settings) => createPolicy(change(settings)) })

/** A policy that is told something else of each call. */
const judging =
  (change: (call: JudgedCall) => Partial<JudgedCall>): Without =>
  () => ({
    policy(settings) {
      const real = createPolicy(settings)
      const seen = (call: JudgedCall): JudgedCall => ({
        run: call.run,
        settings: call.settings,
        untrusted: call.untrusted,
        ...(call.frame === undefined
          ? {}
          : { frame: call.frame, definition: (pin) => call.definition?.(pin), isPermitted: (grant) => call.isPermitted?.(grant) === true }),
        ...change(call),
      })
      return {
        ...real,
        judge: (call, traits) => real.judge({ ...seen(call), ...(call.place === undefined ? {} : { place: call.place }) }, traits),
        ahead: (call, needs) => real.ahead(seen(call), needs),
        judgeCall: (call, capability, exactly) => real.judgeCall(seen(call), capability, exactly),
        judgeAhead: (call, capability) => real.judgeAhead(seen(call), capability),
        denies: (call, capability) => real.denies(seen(call), capability),
        trustOf: (call) => real.trustOf(seen(call)),
      } satisfies OperatorPolicy
    },
  })

const allowing = (settings: PolicySettings, ...allow: readonly string[]): PolicySettings => ({
  ...settings,
  grants: [...(settings.grants ?? []), { file: 'nobody', allow, deny: [] }],
})

const handled =
  (operation: readonly string[], loose: Handler): Without =>
  () => ({ handler: (own, node) => (operation.includes(node.operation) ? loose : own) })

const tools =
  (...loose: readonly Tool[]): Without =>
  () => ({ tools: (settings) => withLoose(settings, ...loose) })

/** A node whose handler is told something else of what the operator has settled. */
const charter =
  (operations: readonly string[], change: (charter: Permissions) => Permissions): Without =>
  () => ({
    handler: (own, node) =>
      operations.includes(node.operation) ? (scene) => own(sceneWith(scene, { permissions: change(scene.permissions) })) : own,
  })

/** A node whose handler sees something else of its scene. */
const handledBy =
  (operations: readonly string[], seen: Partial<NodeContext>): Without =>
  () => ({ handler: (own, node) => (operations.includes(node.operation) ? (scene) => own(sceneWith(scene, seen)) : own) })

function sceneWith(scene: NodeContext, seen: Partial<NodeContext>): NodeContext {
  return new Proxy(scene, {
    get(target, name) {
      if (Object.hasOwn(seen, name)) return seen[name as keyof NodeContext]
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

const both =
  (...parts: readonly Without[]): Without =>
  (whole) =>
    parts.reduce<Parts>((all, without) => ({ ...all, ...without(all) }), whole)

const SHELLS = ['shell', 'tool']
const UNSANDBOXED = 'arbor://shell/exec/unsandboxed'
const noSandbox = (settings: ToolsSettings): ToolsSettings => ({ ...settings, bubblewrap: [] })

/** Every protection that an attack names, and how a test takes it away. */
const PROTECTIONS: Readonly<Record<string, Without>> = {
  /** Every capability of a node is granted before it runs, and again what an effect touches. */
  policy: () => ({
    policy(settings) {
      const real = createPolicy(settings)
      const verdict = { allowed: true, by: 'nobody' }
      return {
        ...real,
        judge: () => ({ allowed: true }),
        ahead: (call, needs) => ({ ...real.ahead(call, needs), denied: {}, terms: {} }),
        denies: () => false,
        judgeCall: () => verdict,
        judgeAhead: () => verdict,
      } satisfies OperatorPolicy
    },
  }),
  taint_check: member('taint_check'),
  sanitization: member('sanitization'),
  safe_input: member('safe_input'),
  budget: (whole) => ({
    ...member('budget')(whole),
    // Also the check before each effect.
    kind: (kind) => ({ ...kind, limits: () => undefined }),
  }),
  /** What a text says against its own chain counts only where the operator trusts its author. */
  author_trust: () => ({
    chain(chain, node, _charter, { graph }) {
      const off = graph.attributes.has('mandatory_middleware') && !isOn(graph.attributes, 'mandatory_middleware')
      const left = off ? new Set(MANDATORY.map(({ name }) => name)) : new Set(listOf(node.node.attributes, 'skip_middleware'))
      return { ...chain, members: chain.members.filter(({ name }) => !left.has(name)) }
    },
  }),
  /** Middleware that nobody has halts the node that asks for it. */
  unknown_middleware: () => ({
    chain: (chain) => ({ ...chain, members: chain.members.filter(({ name }) => MANDATORY.some((one) => one.name === name)) }),
  }),
  /** Trust is said by whoever starts the run, never by a text. */
  trust_of_operator: both(judging(({ settings }) => ({ settings: { ...settings, trust: 'autonomous' } }))),
  /** A text that came from a context has the least trust, whoever runs it. */
  lowered_trust: both(
    judging(() => ({ untrusted: false })),
    () => ({
      load(source) {
        const { author: _, ...rest } = isObject(source) ? source : {}
        return loadPipeline(rest)
      },
    }),
  ),
  /** A command sees the system and its folders, and no network. */
  sandbox: both(
    policy((settings) => allowing(settings, UNSANDBOXED)),
    () => ({ tools: (settings) => createTools(noSandbox(settings)) }),
  ),
  /** Commands get of the environment what they need to start. */
  scrubbed_environment: () => ({
    tools: (settings) => createTools({ ...settings, variables: Object.keys(settings.environment) }),
  }),
  /** Values reach a command as variables and never as its text. */
  command_text: both(handled(SHELLS, pasting), tools(looseShell)),
  /** No value becomes a variable that steers programs. */
  variable_names: both(handled(SHELLS, givingAll), tools(looseShell)),
  /** So much of what a command says is kept. */
  output_limit: tools(looseShell),
  /** Files are judged by where they really are. */
  real_paths: tools(looseRead, looseWrite),
  /** The folder of Reflex, with what other runs have written, is nobody's. */
  reserved_folders: policy((settings) => allowing({ ...settings, reserved: [] }, 'arbor://fs/autorun/{work}/.reflex/**')),
  /** What git runs by itself is not for a run to write. */
  git_folder: policy((settings) => allowing(settings, 'arbor://fs/write/{work}/.git/**', 'arbor://fs/autorun/{work}/.git/**')),
  /** A file that runs by itself on the host needs a separate permission. */
  self_running: policy((settings) => allowing(settings, 'arbor://fs/autorun/**')),
  /** An address that is not of the public network needs a grant that names it. */
  private_addresses: () => ({
    policy(settings) {
      const real = createPolicy(settings)
      return { ...real, judgeCall: (call, capability) => real.judgeCall(call, capability) } satisfies OperatorPolicy
    },
  }),
  /** Each host on the way is judged. */
  judged_redirects: tools(looseHttp),
  /** A model calls the tools that it was offered. */
  offered_tools: handled(['codergen'], obeying),
  /** The same of the model of a session. */
  session_tools: handled(['session.tool_dispatch'], dispatching),
  /** A program that comes as a value has no inputs under names of the engine. */
  action_inputs: handled(['action'], starting),
  /** What only an author writes, no model does. */
  authored_arguments: both(
    handled(['codergen'], obeying),
    handledToo(['session.tool_dispatch'], dispatching),
    handledToo(['action'], acting),
  ),
  /** The text of a command is no parameter that the context gives. */
  authored_actions: handled(['action'], running),
  /** A prompt has no unseen characters and no marks of roles from elsewhere. */
  prompt_text: handled(['codergen'], quoting),
  /** Patterns of texts take linear time. */
  linear_patterns: handled(['output.validate'], backtracking),
  /** Keys that the engine answers to are not written by handlers. */
  reserved_keys: () => {
    let refused: JsonObject = {}
    return {
      handler: (own, node) => (scene) => keeping(own(scene), (outcome) => (refused = reservedIn(outcome, node))),
      kind: (kind) => ({
        ...kind,
        step(x, input) {
          kind.step(x, input)
          for (const [key, value] of Object.entries(refused)) x.set(key, value)
          refused = {}
        },
      }),
    }
  },
  /** A change of a pipeline is judged by the run's own trust. */
  adapt_rules: charter(['adapt'], (before) => ({ ...before, trust: 'autonomous' })),
  /** Unreviewed text changes little of a pipeline, at any trust of the run. */
  adapt_source: handledBy(['adapt'], { label: () => TRUSTED }),
  /** Pipelines are so deep inside each other; without any bound the test would not end. */
  depth: () => ({ limits: (limits) => ({ ...limits, depth: 12 }) }),
  /** Programs are looked for in the work folder, links followed. */
  program_places: () => ({ places: (places) => ({ ...places, workdir: '/' }) }),
  /** Programs that runs wrote have the least trust. */
  written_programs: () => ({ places: ({ provenance: _, ...places }) => places }),
  /** Inputs cannot have the names that the engine keeps. */
  engine_inputs: () => ({ inputs: (input) => input }),
  /** A checkpoint is signed. */
  signed_checkpoint: () => ({ secret: () => undefined }),
  /** A checkpoint has its values in its own folder. */
  checkpoint_folder: () => ({
    checkpoint: (file, secret) =>
      readCheckpoint(readFileSync(file, 'utf8'), {
        file,
        secret,
        artifact: ({ file_path: path }) => readFileSync(resolve(dirname(file), renderText(path)), 'utf8'),
      }),
  }),
  /** What people have added to the budget of one run is not for another. */
  budget_of_run({ checkpoint, limits }) {
    let raised = 0
    return {
      checkpoint(file, secret) {
        const { budget } = JSON.parse(readFileSync(file, 'utf8')) as { readonly budget: { readonly raised: { readonly steps: number } } }
        raised = budget.raised.steps
        return checkpoint(file, secret)
      },
      limits: (given) => ({ ...limits(given), steps: (given.steps ?? 0) + raised }),
    }
  },
  /** Items have no name that the engine answers to. */
  item_keys: handled(['map'], forging),
  /** Where the author says whose memory it is, the context does not. */
  agent_of_author: handled(['session.memory_recall'], recalling),
  /** Secrets of the environment enter no record. */
  redaction: () => ({ redact: () => undefined }),
  /** A key that comes in several pieces enters no record, either. */
  redaction_of_streams: ({ redact }) => ({
    redact(secrets) {
      const whole = redact(secrets)
      return whole && { ...whole, input: (value) => whole.input(value) }
    },
  }),
  /** Only people answer what Reflex itself asks. */
  own_questions: () => ({ answer: ({ question: { otherwise, options } }) => otherwise ?? options?.[0]?.value }),
}

/** The same of another operation, on top of what was replaced before. */
function handledToo(operations: readonly string[], loose: Handler): Without {
  return ({ handler }) => ({ handler: (own, node) => (operations.includes(node.operation) ? loose : handler(own, node)) })
}

/** What a node comes to, told to somebody on the way. */
function* keeping(begun: Outcome | Steps, tell: (outcome: Outcome) => void): Steps {
  const outcome = 'next' in begun ? yield* begun : begun
  tell(outcome)
  return outcome
}

function reservedIn({ context_updates = {} }: Outcome, node: TypedNode): JsonObject {
  return Object.fromEntries(Object.entries(context_updates).filter(([key]) => isReserved(key, node)))
}

/** The parts without some of the protections. */
export function without(whole: Parts, names: readonly string[]): Parts {
  return names.reduce((parts, name) => {
    const taken = PROTECTIONS[name]
    if (taken === undefined) throw new TypeError(`there is no protection ${name}`)
    return { ...parts, ...taken(parts) }
  }, whole)
}
