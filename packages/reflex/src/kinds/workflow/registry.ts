import type { Fault } from '../../kernel/journal/fault.ts'
import { checkArguments, didYouMean, OBJECT, quote, shape, suggest, TEXT } from '../../text/index.ts'
import { REGISTER_OPTIONS, REGISTRY_OPTIONS } from './argument-forms.ts'
import { calledWorkflows } from './define.ts'
import { faults } from './faults.ts'
import { frozenCopy } from './frozen-copy.ts'
import type { VerificationResult, Workflow } from './types.ts'
import { refusal } from './validation-error.ts'
import { versionedId } from './versioned-id.ts'
import { validateWorkflow } from './validate.ts'
import { verifyWorkflow } from './verify.ts'

export interface RegistryOptions {
  /** Takes the warnings of `register`; `console.warn` unless told. */
  readonly warn?: (message: string) => void
}

export interface RegisterOptions {
  /** Also verify what the nodes declare to read and write; what does not fit is a warning. */
  readonly verify?: boolean
}

/** Workflows by id. It checks each workflow, keeps a copy, and emits no event (seed workflow 3.3). */
export class WorkflowRegistry {
  readonly #workflows = new Map<string, Workflow>()
  /** The objects that the workflows were registered from, by id. */
  readonly #sources = new Map<string, Workflow>()
  /** Workflows that came along with a caller, and that may still be registered by themselves. */
  readonly #implicit = new Set<Workflow>()
  readonly #warn: (message: string) => void

  constructor(options: RegistryOptions = {}) {
    checkArguments('createRegistry', { options: [options, REGISTRY_OPTIONS] })
    // oxlint-disable-next-line no-console -- the default that the reference fixes (workflow 10)
    this.#warn = options.warn ?? ((message) => console.warn(message))
  }

  /**
   * Takes in a frozen copy of a workflow: later edits of the object have no effect, and the object stays as it is. Throws `WorkflowValidationError` for the first of: id taken, no nodes, entry,
   * node ids, edges, no end, cycle. Warns once for each node that invokes a workflow which is not registered;
   * a workflow may invoke itself (reference workflow 10, C9, C10). Workflow objects that `workflow` was given for its
   * calls are registered before it.
   */
  register(workflow: Workflow, options: RegisterOptions = {}): void {
    checkArguments('register', { workflow: [workflow, OBJECT], options: [options, REGISTER_OPTIONS] })
    if (this.#implicit.delete(workflow)) return
    const callees = calledWorkflows(workflow).filter((called) => this.#sources.get(called.id) !== called)
    // All or none: what is wrong with one of them is found before the first is taken in.
    for (const workflowToCheck of callees.length === 0 ? [] : [...callees, workflow]) this.#check(workflowToCheck)
    for (const called of callees) {
      this.#add(called, options)
      this.#implicit.add(called)
    }
    this.#add(workflow, options)
  }

  /**
   * Replaces a registered definition: sessions and calls that begin later take the new one. A session that is under way
   * continues with the definitions that it began with, also for the calls that it makes: those are pinned when it
   * starts. A session that is restored from a snapshot takes what is registered then, so the nodes that snapshots stand at
   * must still be there. Throws `WorkflowValidationError` as `register` does, and `WORKFLOW_NOT_FOUND` for an id that is not
   * registered; then nothing has changed.
   */
  replace(workflow: Workflow, options: RegisterOptions = {}): void {
    checkArguments('replace', { workflow: [workflow, shape('a workflow', { id: TEXT })], options: [options, REGISTER_OPTIONS] })
    if (!this.#workflows.has(workflow.id)) throw this.#notFound(workflow.id)
    const callees = calledWorkflows(workflow).filter(({ id }) => !this.#workflows.has(id))
    for (const workflowToCheck of callees.length === 0 ? [] : [...callees, workflow]) this.#check(workflowToCheck, workflow.id)
    for (const called of callees) this.register(called, options)
    this.#add(workflow, options, workflow.id)
  }

  #check(workflow: Workflow, replaced?: string): Fault[] {
    // Of one id there may be several versions.
    const versionId = versionedId(workflow)
    const isRegistered = (id: string): boolean => this.#workflows.has(id === workflow.id ? versionId : id) && id !== replaced
    const findings = validateWorkflow(workflow, { isRegistered, names: () => this.#workflows.keys() })
    const error = findings.find((finding) => finding.severity === 'error')
    if (error !== undefined) throw refusal(workflow.id, error)
    return findings
  }

  #add(workflow: Workflow, options: RegisterOptions, replaced?: string): void {
    const findings = this.#check(workflow, replaced)
    const copy = frozenCopy(workflow)
    this.#workflows.set(workflow.id, copy)
    this.#workflows.set(versionedId(workflow), copy)
    this.#sources.set(workflow.id, workflow)
    for (const finding of findings) if (finding.code === 'R1053') this.#warn(`Workflow '${workflow.id}': ${finding.message}`)
    if (options.verify !== true) return
    for (const warning of this.verify(workflow.id).warnings) this.#warn(`Workflow '${workflow.id}': ${warning.message} (${warning.code})`)
  }

  /** The frozen copy that was made when it was registered: of `id@version`, of an id, or of its version that was registered last. */
  get(id: string): Workflow | undefined {
    return this.#workflows.get(id)
  }

  has(id: string): boolean {
    return this.#workflows.has(id)
  }

  /** Ids in the order of registration, and `id@version` behind the id of a workflow that states a version. */
  list(): string[] {
    return [...this.#workflows.keys()]
  }

  /**
   * What can be proved wrong of a workflow without a run: see `verifyWorkflow`. Specs are not looked into.
   * Throws `WorkflowValidationError` `WORKFLOW_NOT_FOUND` for an id that is not registered (reference workflow 10).
   */
  verify(id: string): VerificationResult {
    checkArguments('verify', { id: [id, TEXT] })
    const workflow = this.#workflows.get(id)
    if (workflow !== undefined) return verifyWorkflow(workflow, (child) => this.#workflows.get(child))
    throw this.#notFound(id)
  }

  #notFound(id: string): Error {
    const fix = didYouMean(suggest(id, this.#workflows.keys())) ?? 'register the workflow first'
    return refusal(id, faults.make('R1051', `no workflow ${quote(id)} is registered`, { rule: 'WORKFLOW_NOT_FOUND', fix }))
  }
}

/** An empty registry. */
export function createRegistry(options: RegistryOptions = {}): WorkflowRegistry {
  return new WorkflowRegistry(options)
}
