import type { OpenQuestion, RunHandle } from '../runs/handle.ts'
import type { Json } from '../kernel/index.ts'
import { didYouMean, suggest } from '../text/index.ts'
import type { DefinedWorkflow, InputOf } from '../kinds/workflow/define-types.ts'
import type { UnknownTypes, WorkflowTypes } from '../programs/program-types.ts'
import { checkDecisions } from './scripted/decide.ts'
import { milliseconds } from './scripted/waiting.ts'
import { type CrashReport, crashEverywhere, type CrashOptions } from './scripted/crash.ts'
import type { End } from './scripted/end.ts'
import { namesOf } from './scripted/people.ts'
import { type Testable, workflowsOf } from './scripted/program.ts'
import type { ScriptedOptions } from './scripted/script.ts'
import { TestRun } from './scripted/test-run.ts'

export type { CrashReport, CrashOptions } from './scripted/crash.ts'
export type { End } from './scripted/end.ts'
export type { PerformedEffect } from './scripted/outside.ts'
export type {
  AnswerScript,
  DecisionScripts,
  DecisionScript,
  ReplyScript,
  ScriptedOptions,
  ScriptedDecision,
  ScriptedTool,
} from './scripted/script.ts'

/**
 * A program and everything that it meets, for a test: no key, no network, no store on a disk, and a clock that stands
 * still until the test moves it. `what`: a workflow object, a graph or a text of a pipeline, or a file of any kind.
 *
 *     const t = scripted(refund, { decide: { decide: 'FULL' }, tools: { 'orders.get': () => order } })
 *     await t.run({ order_id: 'A-1042' })
 *     const end = await t.after('3d')
 *
 * Decisions are checked at once where the program is an object: `R2120` for a node that is not there, `R2103` for an edge.
 */
export function scripted<Types extends WorkflowTypes = UnknownTypes>(
  what: DefinedWorkflow<Types> | Testable,
  script: ScriptedOptions<NoInfer<Types>['nodes']> = {},
): Scripted<Types> {
  const workflows = workflowsOf(what)
  if (workflows !== undefined) checkDecisions(script.decide, workflows)
  return new Scripted(what, script)
}

/** A program under test. Each `run` begins anew; everything else is about the last one. */
export class Scripted<Types extends WorkflowTypes = UnknownTypes> {
  readonly #what: Testable
  readonly #script: ScriptedOptions
  #testRun: TestRun<Types> | undefined

  constructor(what: Testable, script: ScriptedOptions) {
    this.#what = what
    this.#script = script
  }

  /** Runs the program until it rests: it has ended, or waits for an answer or a time that no script gives. Throws what starting throws. */
  async run(input?: InputOf<Types>): Promise<End<Types>> {
    const testRun = await TestRun.of<Types>(this.#what, this.#script, input)
    this.#testRun = testRun
    await testRun.rest()
    return testRun.end()
  }

  /** Lets time pass, such as `3d`, `90s` or milliseconds: what falls due on the way happens in order, each at its own time. */
  async after(duration: string | number): Promise<End<Types>> {
    const testRun = this.#current()
    await testRun.pass(milliseconds(duration))
    return testRun.end()
  }

  /**
   * Answers an open question, named by its node, its path or its address (`q1`), and runs on until the program rests. Throws
   * `R4200`, `R4201` for an answer that it does not allow, an `Error` that names the open ones for a question that is not there.
   */
  async answer(question: string | OpenQuestion, value: Json, by = 'the test'): Promise<End<Types>> {
    const testRun = this.#current()
    await testRun.answer(questionNamed(question, testRun.handle), value, by)
    await testRun.rest()
    return testRun.end()
  }

  /**
   * Runs the program again for each moment at which its process could have died: at every record, and before and after every
   * call of the store and every effect. The script answers as it did. Rejects with the first difference: another end, something
   * that happened twice or got lost. What may not be repeated becomes a question, which is answered with the truth. The last
   * run must have ended.
   */
  async crashEverywhere(options: CrashOptions = {}): Promise<CrashReport> {
    return crashEverywhere(await this.#current().played(), options)
  }

  #current(): TestRun<Types> {
    if (this.#testRun === undefined) throw new Error('nothing has been run yet: call run() first')
    return this.#testRun
  }
}

function questionNamed<Types extends WorkflowTypes>(question: string | OpenQuestion, { questions }: RunHandle<Types>): OpenQuestion {
  if (typeof question !== 'string') return question
  const found = questions.filter((one) => namesOf(one).includes(question))
  const [only] = found
  if (only !== undefined && found.length === 1) return only
  const open = questions.map(({ path }) => path)
  const hint = didYouMean(suggest(question, open))
  const what = found.length > 1 ? `${question} names ${found.length} open questions` : `no question ${question} is open`
  throw new Error(
    `${what}: ${found.length > 1 ? found.map(({ id }) => id).join(', ') : open.join(', ') || 'none is'}${hint === undefined ? '' : `; ${hint}`}`,
  )
}
