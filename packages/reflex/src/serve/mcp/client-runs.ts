import type { Reflex } from '../../app/reflex.ts'
import type { FaultData, JsonObject, RunRow } from '../../kernel/index.ts'
import { isInternalQuestion } from '../../people/index.ts'
import { serveFaults } from '../../protocol/faults.ts'
import { questionDocument } from '../../protocol/documents.ts'
import { plainJson } from '../../protocol/plain.ts'
import { startOf } from '../../protocol/view-document.ts'
import { type OpenQuestion, questionsOf } from '../../runs/handle.ts'
import type { TokenHolder } from '../principals.ts'
import { failureOf } from '../status.ts'

/** The most runs that a list has. */
const MOST_LISTED = 100

/** The runs that one client started. The name of the client is the actor in their records. */
export class ClientRuns {
  readonly #reflex: Reflex
  readonly #holder: TokenHolder | undefined
  readonly actor: string

  /** `client`: its token, or the name that it states. */
  constructor(reflex: Reflex, client: TokenHolder | string | undefined) {
    this.#reflex = reflex
    this.#holder = typeof client === 'object' ? client : undefined
    this.actor = typeof client === 'object' ? client.name : actorOf(client)
  }

  /** Returns the options with which a run of this client starts and is answered: its values are from outside unless its token says otherwise. */
  get sent(): { readonly by: string; readonly outside: boolean } {
    return { by: this.actor, outside: this.#holder?.outside ?? true }
  }

  /** Returns a run of this client. Throws `R2016`, and `R6022` for a run of somebody else. */
  async find(ref: string): Promise<RunRow> {
    const row = await this.#reflex.find(ref)
    if (await this.#isOwn(row)) return row
    throw serveFaults.make('R6022', `${row.id} was not started by ${this.actor}`, { run: row.id })
  }

  /** Returns the newest runs of this client. */
  async list(): Promise<readonly RunRow[]> {
    const rows = await this.#reflex.runs({ limit: MOST_LISTED })
    const own = await Promise.all(rows.map((row) => this.#isOwn(row)))
    return rows.filter((_, i) => own[i])
  }

  /** Returns the open questions of a run that the client may answer. Reflex's own questions are for the operator. */
  questions({ id, waits }: RunRow): readonly OpenQuestion[] {
    return questionsOf(id, waits).filter((question) => !isInternalQuestion(question))
  }

  /** Records an answer of the client. Throws `R6023` for a question of Reflex itself, and the faults of `Reflex.answer`. */
  async answer(run: string, question: string | undefined, value: unknown, reason?: string): Promise<void> {
    const { id } = await this.find(run)
    const open = await this.#reflex.question(question === undefined ? id : `${id}/${question}`)
    if (isInternalQuestion(open))
      throw serveFaults.make('R6023', `${open.id} is a question to the operator: ${open.question.text}`, {
        run: id,
        fix: `the operator answers: reflex answer ${open.id}`,
      })
    await this.#reflex.answer(open.id, value, { ...this.sent, ...(reason === undefined ? {} : { reason }) })
  }

  /** Returns the state of a run as the result of a call. */
  async document(run: string): Promise<JsonObject> {
    const { row, state } = await this.#reflex.runtime.peek(run)
    const open = questionsOf(row.id, row.waits)
    const { status } = row
    const { kind, def } = this.#reflex.programsOf(state).program(state.root.pin)
    const value = row.value ?? undefined
    const result =
      status === 'completed' && value !== undefined ? this.#reflex.kinds.view(kind).result?.(def, value, state.start?.args) : undefined
    return plainJson({
      run: row.id,
      status,
      ...(status === 'completed' ? { value: result === undefined ? value : result.value } : {}),
      ...(status === 'failed' ? { error: value } : {}),
      ...(open.length === 0 ? {} : { questions: open.map(questionDocument) }),
      next: nextStep(row, open),
    })
  }

  async #isOwn({ id }: RunRow): Promise<boolean> {
    return startOf((await this.#reflex.runtime.peek(id)).state).by === this.actor
  }
}

/** Returns what the client does next; undefined for a run that has ended. */
function nextStep({ id, status, waits }: RunRow, open: readonly OpenQuestion[]): string | undefined {
  if (status !== 'suspended' && status !== 'running') return undefined
  const [question] = open.filter((one) => !isInternalQuestion(one))
  if (question !== undefined) {
    const name = question.id.slice(id.length + 1)
    return `answer a question: call the tool answer with {"run": "${id}", "question": "${name}", "value": …}`
  }
  if (open.length > 0)
    return `the operator answers ${open.map((one) => one.id).join(', ')}; then call the tool status with {"run": "${id}"}`
  const names = waits.map(({ type, name }) => (name === undefined ? type : `${type} ${name}`)).join(', ')
  return `${names === '' ? 'the run continues by itself' : `the run waits: ${names}`}; call the tool status with {"run": "${id}"}`
}

/** Returns `mcp:NAME`. A name is text of the client, so only printable characters of it are kept. */
function actorOf(client: string | undefined): string {
  const name = (client ?? '').replaceAll(/[^\x21-\x7e]+/g, '-').slice(0, 100)
  return `mcp:${name === '' ? 'client' : name}`
}

/** Returns what was thrown as data. An error that is no fault says nothing about itself. */
export function faultOf(thrown: unknown): FaultData {
  return failureOf(thrown).fault
}
