import { type FaultData, isObject, type Json, type JsonObject } from '../../../../kernel/index.ts'
import { textOf } from '../../dot/graph.ts'
import { durationOf } from '../../language/duration.ts'
import { renderText } from '../../language/render.ts'
import { callTool } from '../../contract/asks.ts'
import type { NodeContext, Steps } from '../../contract/handler.ts'
import { failure, type Outcome, readOutcome, refusal, success, outcomeProblem } from '../../contract/outcome.ts'
import { commandResult } from './command-result.ts'
import { sandboxOf, stageFolder } from './hooks.ts'
import { onResume, requiredText, resolvePath } from './requirements.ts'
import { isVariableName, isVariableValue } from '../../../../tools/index.ts'
import { readsOf } from '../../model/node-keys.ts'
import { parseJson } from '../../language/parse-json.ts'

const TIMEOUT = 120_000

/** The limit of characters of a command's output in its failure. */
const MOST_OUTPUT = 500

/** The keys for the result of a command. */
interface OutputKeys {
  readonly output: string
  readonly errors: string
  readonly code: string
  readonly error?: string
}

export function command(context: NodeContext, attribute: string, keys: OutputKeys): Outcome | Steps {
  const text = requiredText(context, attribute)
  if (typeof text !== 'string') return text
  const variables = commandVariables(context)
  if ('problem' in variables) return refusal(`${context.node.id}: ${variables.problem}`)
  return runShell(context, text, variables.values, keys)
}

function* runShell(context: NodeContext, text: string, environment: JsonObject, keys: OutputKeys): Steps {
  const { attributes, node } = context
  const limit = durationOf(attributes, 'timeout')
  const settled = yield* callTool(
    'shell',
    {
      command: text,
      environment,
      cwd: resolvePath(context, textOf(attributes, 'cwd') ?? ''),
      timeout: limit === undefined || limit === 0 ? TIMEOUT : limit,
      stage: stageFolder(context),
      whole: true,
      ...sandboxOf(context),
    },
    onResume(context),
  )
  if (settled.error !== undefined) return shellFailed(context, settled.error, keys)
  const result = commandResult(settled.ok)
  if (typeof result['warning'] === 'string') context.note('sandbox', { node_id: node.id, warning: result['warning'] })
  const status = result['status_file']
  return withStatus(commandOutcome(context, result, keys), typeof status === 'string' ? status : undefined)
}

/** Returns the outcome of a finished command. An exit code other than 0 is handled by `on_error`. */
function commandOutcome(context: NodeContext, result: JsonObject, keys: OutputKeys): Outcome {
  const { code = null, stdout = '', stderr = '', signal, truncated, kept, warning } = result
  const outputKey = textOf(context.attributes, 'output_key')
  const reason = code === 0 ? undefined : exitReason(context.node.id, code, signal, renderText(stderr).trim() || renderText(stdout).trim())
  const updates = {
    [keys.output]: stdout,
    [keys.errors]: stderr,
    [keys.code]: code,
    ...(keys.error === undefined ? {} : { [keys.error]: reason ?? null }),
    ...(outputKey === undefined ? {} : { [outputKey]: stdout }),
  }
  const artifacts = outputArtifacts(kept)
  const artifactNames = Object.keys(artifacts).map((name) => `${context.node.id}/${name}`)
  const cut =
    artifactNames.length === 0 ? 'the output was cut' : `the output was cut; the artifact ${artifactNames.join(' and ')} has all of it`
  const notes = [warning, truncated === true ? cut : undefined].filter((note) => typeof note === 'string')
  const more = {
    context_updates: updates,
    ...(notes.length === 0 ? {} : { notes: notes.join('; ') }),
    ...(artifactNames.length === 0 ? {} : { artifacts }),
  }
  return reason === undefined ? success(updates, more) : applyOnError(context, failure(reason, more))
}

/** Returns the complete output of a command as artifacts of its node, if the output was cut (reference pipeline 4.5). */
function outputArtifacts(kept: Json | undefined): JsonObject {
  const files = Object.entries(isObject(kept) ? kept : {}).flatMap(([name, file]): [string, Json][] => {
    const { path, bytes, sha256 } = isObject(file) ? file : {}
    return typeof path === 'string' ? [[`${name}.txt`, { $file: path, bytes: bytes ?? 0, sha256: sha256 ?? '' }]] : []
  })
  return Object.fromEntries(files)
}

function exitReason(id: string, code: Json, signal: Json | undefined, output: string): string {
  const how = code === null ? `was stopped by ${renderText(signal)}` : `exited with code ${renderText(code)}`
  return `${id} ${how}${output === '' ? '' : `: ${output.slice(0, MOST_OUTPUT)}`}`
}

/** Faults of a command that ran; all other faults mean that it did not run. */
const TERMINATED: ReadonlySet<string> = new Set(['R4131', 'R4132'])

function shellFailed(context: NodeContext, error: FaultData, keys: OutputKeys): Outcome {
  const { code, message } = error
  const updates = { [keys.code]: null, ...(keys.error === undefined ? {} : { [keys.error]: message }) }
  if (TERMINATED.has(error.code))
    return applyOnError(context, failure(`${context.node.id}: ${message}`, { code, context_updates: updates }))
  return refusal(`${context.node.id}: ${message}`, { code, context_updates: updates })
}

/** Applies `on_error` to a failure: `fail`, unless the node states `warn` or `continue`. */
function applyOnError(context: NodeContext, failed: Outcome): Outcome {
  const word = textOf(context.attributes, 'on_error')?.trim().toLowerCase()
  if (word !== 'warn' && word !== 'continue') return failed
  const { failure_reason = '', context_updates, artifacts } = failed
  if (word === 'warn') context.note('stage_warning', { node_id: context.node.id, warning: failure_reason })
  return success(context_updates, { notes: failure_reason, ...(artifacts === undefined ? {} : { artifacts }) })
}

/** Returns the failure of an action; transient failures may be retried. */
export function actionFailed(context: NodeContext, message: string, isTransient: boolean, updates: JsonObject = {}): Outcome {
  const { id } = context.node
  const more = { context_updates: { ...updates, [`exec.${id}.error`]: message } }
  return applyOnError(context, isTransient ? failure(`${id}: ${message}`, more) : refusal(`${id}: ${message}`, more))
}

/** Writes the result of an action as JSON and field by field. With `mayBeOutcome`, an outcome is used as such. */
export function actionOutcome(context: NodeContext, result: Json, mayBeOutcome: boolean): Outcome {
  const { node, attributes } = context
  const outcome = mayBeOutcome ? readOutcome(result) : undefined
  const value = outcome === undefined ? result : (outcome.context_updates ?? {})
  const prefix = textOf(attributes, 'output_prefix')
  const outputKey = textOf(attributes, 'output_key')
  const spread = (under: string): JsonObject =>
    isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, one]) => [`${under}.${key}`, one])) : {}
  const updates = {
    ...spread(`exec.${node.id}`),
    ...(prefix === undefined || prefix === '' ? {} : spread(prefix)),
    [`exec.${node.id}.result`]: JSON.stringify(value),
    ...(outputKey === undefined ? {} : { [outputKey]: value }),
  }
  return outcome === undefined ? success(updates) : { ...outcome, context_updates: { ...outcome.context_updates, ...updates } }
}

/** The environment variables of a command, or the reason why one is invalid. */
type CommandVariables = { readonly values: JsonObject } | { readonly problem: string }

/**
 * Returns the context values that a command gets as environment variables: those that its text names and those in `env_keys` or
 * `context_keys`; a dotted key is named by its last part. The text itself never changes. Names that control programs, such as
 * PATH, are never set. A value that is too long fails the node: the command would miss it (reference pipeline 4.5).
 */
function commandVariables(context: NodeContext): CommandVariables {
  const { attributes, node } = context
  const values: Record<string, Json> = {}
  const from = new Map<string, string>()
  for (const { key, attribute } of readsOf({ id: node.id, facts: node.facts, attributes })) {
    const isListed = attribute === 'env_keys' || attribute === 'context_keys'
    const name = isListed ? (key.split('.').at(-1) ?? key) : key
    const value = context.get(key)
    if (!isVariableName(name)) {
      if (isListed) context.note('variable_refused', { node_id: node.id, key, name })
      continue
    }
    if (value === undefined || (typeof value === 'object' && !isListed)) continue
    const other = from.get(name)
    if (other !== undefined && other !== key) return { problem: `${other} and ${key} would both be the variable ${name}` }
    const text = renderText(value)
    if (!isVariableValue(text)) return { problem: `${key} has more than 32 KB and cannot be a variable; write it into a file` }
    from.set(name, key)
    values[name] = text
  }
  return { values }
}

/**
 * Returns the outcome of a stage whose command has written a `status.json`: its fields win over the handler's outcome, and its
 * notes are appended. An unreadable file fails the stage, and `auto_status` does not change that (reference pipeline 6.4).
 */
function withStatus(outcome: Outcome, text: string | undefined): Outcome {
  if (text === undefined) return outcome
  const parsed = parseJson(text)
  if (isObject(parsed) && parsed['written_by'] === 'engine') return outcome
  const stated = readOutcome(parsed)
  const problem = parsed === undefined ? 'it is not JSON' : outcomeProblem(parsed)
  if (stated === undefined || problem !== undefined)
    return refusal(`invalid status file: ${problem ?? 'it is not an outcome'}`, { ...updatesOf(outcome), written: true })
  const { failure_reason: found, retryable, notes, context_updates, ...rest } = outcome
  const isBad = stated.status === 'fail' || stated.status === 'retry'
  const allNotes = [notes, stated.notes].filter((note) => note !== undefined)
  return {
    ...rest,
    ...(isBad && found !== undefined ? { failure_reason: found } : {}),
    ...(isBad && retryable !== undefined ? { retryable } : {}),
    ...stated,
    ...(context_updates === undefined && stated.context_updates === undefined
      ? {}
      : { context_updates: { ...context_updates, ...stated.context_updates } }),
    ...(allNotes.length === 0 ? {} : { notes: allNotes.join('\n') }),
    written: true,
  }
}

function updatesOf({ context_updates }: Outcome): Pick<Outcome, 'context_updates'> {
  return context_updates === undefined ? {} : { context_updates }
}
