import { errorDocument, resultDocument } from '../protocol/documents.ts'
import type { OpenQuestion, RunHandle } from '../runs/handle.ts'
import { isObject, type Json, type JsonObject } from '../kernel/index.ts'
import type { KindResult } from '../programs/kind-view.ts'
import type { PossibleEffect } from '../runs/possible-effects.ts'
import { shortJson } from '../text/index.ts'
import { repeatWordsOf } from './repeat-command.ts'
import type { RunExit } from './continue-run.ts'
import type { Console } from './console.ts'
import { jsonText } from './escape.ts'
import { EXIT, interruptCode } from './exit.ts'
import { factLine, hangingLines, layoutText, commandHint } from './layout.ts'
import type { Look } from './look.ts'
import { pendingEffectText } from './effects.ts'
import { withRemedy } from './failure-remedy.ts'
import { usageOfRun, usageText } from './model-usage.ts'
import { dueTime, duration } from './units.ts'

/** More facts about the end of a run. */
interface EndingFacts {
  readonly waited: WaitTotals
  /** The address at which a fork of a failed run tries again: `otter-2m9q@12`. */
  readonly forkAddress?: string | undefined
  /** True if the workers of a cluster carry the run on. */
  readonly inCluster?: boolean
  readonly more?: JsonObject | undefined
}

/**
 * Prints the end of a run for the person who started it: the last lines, the result, and the next command. Returns the
 * exit code.
 */
export function printEnding(console: Console, handle: RunHandle, left: RunExit, facts: EndingFacts): number {
  const { waited, forkAddress, inCluster, more } = facts
  const code = exitCode(handle, left)
  const refused = typeof left === 'object' && 'refused' in left ? left.refused : undefined
  const { failure } = handle
  if (console.shape === 'json')
    console.document(
      resultDocument(handle, handle.status === 'running' && !handle.isFollowed, {
        ...more,
        ...(failure && { error: withRemedy(handle, failure) }),
        ...(refused && errorDocument(refused)),
      }),
    )
  else if (console.shape === 'jsonl' && refused !== undefined) console.document(errorDocument(refused))
  if (console.shape !== 'text') return code
  if (refused !== undefined) console.report([...console.fault(refused), ...suspendedLines(console, handle)])
  else if (typeof left === 'object' && handle.isFollowed) console.report(leftLines(console, handle, inCluster === true))
  else if (typeof left === 'object' && 'interrupted' in left) console.report(interruptedLines(console, handle, left.effects))
  else if (left === 'suspended') console.report(suspendedLines(console, handle))
  else printEnd(console, handle, { waited, forkAddress })
  return code
}

function exitCode({ status }: RunHandle, left: RunExit): number {
  if (typeof left === 'object' && 'interrupted' in left) return interruptCode(left.interrupted)
  if (typeof left === 'object' || left === 'suspended') return EXIT.suspended
  return status === 'completed' ? EXIT.done : EXIT.no
}

function printEnd(console: Console, handle: RunHandle, { waited, forkAddress: goOn }: EndingFacts): void {
  const { err } = console
  const { status, failure, value } = handle
  const id = err.text(handle.id)
  if (failure !== undefined) console.report(console.fault(withRemedy(handle, failure)))
  const { start, time } = handle.run.state
  // A fork shares its first records with its source; the time before the fork belongs to the source.
  const took = `in ${duration(time - (start?.fork === undefined ? (start?.at ?? 0) : Math.min(time, waited.since)))}`
  const spent = usageText(usageOfRun(handle.run))
  const result = resultOf(handle)
  const facts = [
    ...(result?.how === undefined ? [] : [result.how]),
    ...(status === 'completed' ? [waitedText(took, waited)] : ['exit 1']),
    ...(spent === undefined ? [] : [spent]),
  ]
  const paint = status === 'completed' ? 'green' : status === 'failed' ? 'red' : 'yellow'
  if (!console.quiet || status !== 'completed')
    console.report(factLine(`${status}  ${id}`, `${err.paint(paint, status)}  ${id}`, facts, err))
  if (value !== undefined && failure === undefined) printResult(console, value, result)
  if (console.isInMemory) return
  if (goOn !== undefined) console.report([commandHint(err, 'continue', console.command('fork', goOn))])
  if (!console.quiet) console.report([commandHint(err, 'look back', console.command('trace', handle.id))])
}

/** Returns the result of the run, as its kind describes it. */
function resultOf({ run, definitions, status, value }: RunHandle): KindResult | undefined {
  if (status !== 'completed' || value === undefined) return undefined
  const { kind, def } = definitions.program(run.state.root.pin)
  return definitions.view(kind).result?.(def, value, run.state.start?.args)
}

/** The time that a run spent on questions, and the names of those who answered. */
export interface WaitTotals {
  /** The time at which the command began to continue the run, in milliseconds since the epoch. */
  readonly since: number
  ms: number
  readonly by: Set<string>
}

function waitedText(took: string, { ms, by }: WaitTotals): string {
  if (ms < 100) return took
  return `${took}, ${duration(ms)} of it waiting${by.size === 0 ? '' : ` for ${[...by].join(' and ')}`}`
}

/** Prints the result, unless a terminal has shown all of it. */
function printResult(console: Console, value: Json, result: KindResult | undefined): void {
  if (result?.isTold === true && console.out.terminal) return
  printValue(console, result?.value ?? value)
}

/** Prints a value: short for a person, whole and exact for a pipe. */
function printValue(console: Console, value: Json): void {
  const { out } = console
  if (!out.terminal || !isObject(value)) return console.print([out.terminal ? out.text(JSON.stringify(value)) : jsonText(value, 2)])
  const entries = Object.entries(value)
  const facts = entries.filter(([, inner]) => !isLong(inner)).map(([key, inner]) => `${key} ${shortValue(inner)}`)
  const texts = entries
    .filter(([, inner]) => isLong(inner))
    .flatMap(([key, inner]) =>
      layoutText({ lead: `  ${key}`, painted: `  ${out.text(key)}`, text: shortValue(inner, 600), column: key.length + 4 }, out),
    )
  console.print([...(facts.length === 0 ? [] : factLine('', '', facts, out)), ...texts])
}

function shortValue(value: Json, limit = 60): string {
  // A newline at the end of a command's output carries no information.
  return typeof value === 'string' && value.length <= limit ? value.trimEnd() : shortJson(value, limit)
}

/** True if a value is a text of several lines: it is probably the result that the user wants, so it is not cut. */
function isLong(value: Json): boolean {
  return typeof value === 'string' && value.length > 60 && value.length <= 600
}

/** A note about a run whose store is in memory: no other command can find the run. */
const IN_MEMORY = 'the run ends with this process: its store is in memory'

function interruptedLines(console: Console, handle: RunHandle, effects: readonly PossibleEffect[]): string[] {
  const { err, isInMemory } = console
  const id = err.text(handle.id)
  const kept = isInMemory ? IN_MEMORY : 'what was recorded is kept'
  return [
    ...factLine(`interrupted  ${id}`, `${err.paint('yellow', 'interrupted')}  ${id}`, [kept], err),
    ...effects.flatMap((effect) => hangingLines(err.text(pendingEffectText(effect)), err, 2, (line) => line)),
    ...(isInMemory ? [] : [commandHint(err, 'continue', console.command('resume', handle.id))]),
    ...openQuestionLines(console, handle),
  ]
}

/** Returns the state of a run that this command only followed. The run continues. */
function leftLines(console: Console, handle: RunHandle, inCluster: boolean): string[] {
  const { err } = console
  const id = err.text(handle.id)
  const carrier = inCluster ? CLUSTER_CONTINUES : 'this command only followed the run'
  return [
    ...factLine(`left  ${id}`, `${err.paint('yellow', 'left')}  ${id}`, [carrier], err),
    followHint(console, handle.id),
    ...openQuestionLines(console, handle),
  ]
}

/** A note about a run after a command that leaves it to the workers of a cluster. */
export const CLUSTER_CONTINUES = 'the cluster continues the run'

/** Returns the line with the command that follows a run. */
export function followHint(console: Console, run: string): string {
  return commandHint(console.err, 'follow', console.command('show', run, '--follow'))
}

function openQuestionLines(console: Console, { questions }: RunHandle): string[] {
  const asked = questions.filter(({ asker }) => asker !== 'retry')
  return asked.flatMap((open) => questionLines(console, open, questions.length === 1))
}

/** Returns the state of a run that waits, and the next commands. */
export function suspendedLines(console: Console, handle: RunHandle): string[] {
  const { err, isInMemory: passing } = console
  const id = err.text(handle.id)
  const questions = handle.questions
  const failures = questions.filter(({ asker }) => asker === 'retry')
  const asked = questions.filter(({ asker }) => asker !== 'retry')
  const topics = topicsOf(handle)
  const waits = [
    ...failures.map(({ path }) => `stopped at ${path}`),
    ...(asked.length === 0 ? [] : [questionsText(console, asked)]),
    ...topics.map((topic) => `waits for the message ${topic}`),
  ]
  const lines = failures.flatMap(({ fault }) => (fault === undefined ? [] : console.fault(fault)))
  return [
    ...lines,
    ...factLine(
      `suspended  ${id}`,
      `${err.paint('yellow', 'suspended')}  ${id}`,
      [...(waits.length === 0 ? ['waits'] : waits), 'exit 75'],
      err,
    ),
    ...(asked.length === 0 ? [] : asked.flatMap((question) => questionLines(console, question, asked.length === 1))),
    ...(passing ? hangingLines(IN_MEMORY, err, 2, (line) => line) : []),
    ...(passing || failures.length === 0
      ? []
      : remedyLines(
          console,
          handle.id,
          failures,
          repeatWordsOf(handle).map((word) => (word.startsWith('/') ? console.nearPath(word) : word)),
        )),
    ...(passing ? [] : topics.map((topic) => commandHint(err, 'send it', console.command('signal', handle.id, topic)))),
    ...(passing || asked.length === 0 ? [] : [commandHint(err, 'all', console.command('inbox'))]),
  ]
}

/** The topics of the messages that a run waits for. */
function topicsOf({ run }: RunHandle): readonly string[] {
  return [...new Set([...run.state.waits.values()].flatMap(({ type, name }) => (type === 'message' ? [name] : [])))]
}

/** Faults of the program. A run keeps its program, so a corrected file only has an effect on the next run. */
const PROGRAM_FAULTS = /^R(21\d\d|2007|204[1-4]|205[0134]|4101)$/
/** Faults of a missing or wrongly named model: the run can continue with another model. */
const MODEL_FAULTS = /^R400[1-7]$/

/**
 * Returns the next command after a failure: the same command once the cause is removed, or another run if the program
 * is at fault.
 */
export function remedyLines(
  console: Console,
  id: string,
  failures: readonly OpenQuestion[],
  again: readonly string[],
  err: Look = console.err,
): string[] {
  const codes = failures.flatMap(({ fault }) => fault?.code ?? [])
  if (codes.some((code) => PROGRAM_FAULTS.test(code))) {
    const then = again.length === 0 ? [] : [commandHint(err, 'then', console.command(...again))]
    return [...hangingLines('the run keeps its program: correct the file and start another run', err, 2, (line) => line), ...then]
  }
  if (codes.some((code) => MODEL_FAULTS.test(code)))
    return [commandHint(err, 'continue', console.command('resume', id, '--model', 'PROVIDER:NAME'))]
  const granted = codes.includes('R3001') ? ['--policy', 'FILE'] : []
  return [commandHint(err, 'try again', console.command('resume', id, ...granted))]
}

function questionsText(console: Console, questions: readonly OpenQuestion[]): string {
  const places = [...new Set(questions.map(({ path }) => path))].filter((path) => path !== '').join(', ')
  const due = questions.reduce<number | undefined>(
    (least, { due }) => (due !== undefined && due < (least ?? Number.POSITIVE_INFINITY) ? due : least),
    undefined,
  )
  const spent = questions.every(({ asker }) => asker === 'budget')
  return `${spent ? 'the budget is spent' : 'waits for a person'}${places === '' ? '' : ` at ${places}`}${due === undefined ? '' : `, due ${dueTime(due, console.now)}`}`
}

/** Returns the lines of a question: its text, its options, and the command that answers it. */
export function questionLines(console: Console, open: OpenQuestion, only: boolean, err: Look = console.err): string[] {
  const { id, run } = open
  const { options = [], text, about } = open.question
  const address = only ? [run] : [id]
  const [first] = options
  const value = first?.value ?? 'TEXT'
  const offered = options.map(({ value: name, label }) =>
    label === undefined || label.toLowerCase() === name.toLowerCase() ? name : `${name} (${label})`,
  )
  return [
    ...hangingLines(text, err, 2, (line) => line),
    ...(typeof about === 'string' ? hangingLines(about.slice(0, 300), err, 2, (line) => line) : []),
    ...(offered.length === 0 ? [] : hangingLines(offered.join(' · '), err, 4, (line) => line)),
    ...(console.isInMemory ? [] : [commandHint(err, 'answer', console.command('answer', ...address, answerWord(value)))]),
  ]
}

/** Returns an option's value as a word that the command reads as that value, never as an option, a file or JSON. */
export function answerWord(value: string): string {
  return /^(-|@.|:=)/s.test(value) ? `:=${JSON.stringify(value)}` : value
}
