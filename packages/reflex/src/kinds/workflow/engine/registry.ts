import type { Fault } from '../../../kernel/index.ts'
import { checkArguments, didYouMean, OBJECT, quote, shape, suggest, TEXT } from '../../../text/index.ts'
import { REGISTER_OPTIONS, REGISTRY_OPTIONS } from '../model/argument-forms.ts'
import { calledWorkflows } from '../model/define.ts'
import { faults } from '../model/faults.ts'
import { frozenCopy } from '../model/frozen-copy.ts'
import type { VerificationResult, Workflow } from '../types/index.ts'
import { refusal } from '../check/validation-error.ts'
import { versionedId } from '../model/versioned-id.ts'
import { validateWorkflow } from '../check/validate.ts'
import { verifyWorkflow } from '../check/verify.ts'

export interface RegistryOptions {
  /** Gets the warnings of `register`. Default: `console.warn`. */
  readonly warn?: (message: string) => void
}

export interface RegisterOptions {
  /** True to verify also the declared reads and writes of nodes. Mistakes are warnings. */
  readonly verify?: boolean
}

/** Workflows by id. The registry checks each workflow, keeps a copy, and emits no event (seed workflow 3.3). */
export class WorkflowRegistry {
  readonly #workflows = new Map<string, Workflow>()
  /** The objects that were registered, by id. */
  readonly #sources = new Map<string, Workflow>()
  /** Workflows that were registered together with a caller, and may still be registered by themselves. */
  readonly #implicit = new Set<Workflow>()
  readonly #warn: (message: string) => void

  constructor(options: RegistryOptions = {}) {
    checkArguments('createRegistry', { options: [options, REGISTRY_OPTIONS] })
    // oxlint-disable-next-line no-console -- the default that the reference fixes (workflow 10)
    this.#warn = options.warn ?? ((message) => console.warn(message))
  }

  /**
   * Registers a frozen copy of a workflow: later edits of the object have no effect, and the object itself is not frozen. Throws
   * `WorkflowValidationError` for the first of: id taken, no nodes, entry, node ids, edges, no end, cycle. Warns once for each
   * node that invokes a workflow which is not registered; a workflow may invoke itself (reference workflow 10, C9, C10).
   * Workflow objects that `workflow` got for its calls are registered before it.
   */
  register(workflow: Workflow, options: RegisterOptions = {}): void {
    checkArguments('register', { workflow: [workflow, OBJECT], options: [options, REGISTER_OPTIONS] })
    if (this.#implicit.delete(workflow)) return
    const callees = calledWorkflows(workflow).filter((called) => this.#sources.get(called.id) !== called)
    // All or none: every workflow is checked before the first is registered.
    for (const workflowToCheck of callees.length === 0 ? [] : [...callees, workflow]) this.#check(workflowToCheck)
    for (const called of callees) {
      this.#add(called, options)
      this.#implicit.add(called)
    }
    this.#add(workflow, options)
  }

  /**
   * Replaces a registered definition. Sessions and calls that begin later use the new one. A session that is under way continues
   * with the definitions that it began with, also for its calls: they are pinned when it starts. A session restored from a
   * snapshot uses the definitions registered then, so the nodes at which snapshots stand must still exist. Throws
   * `WorkflowValidationError` as `register` does, and `WORKFLOW_NOT_FOUND` for an unknown id; nothing has changed then.
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
    // One id may have several versions.
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

  /** Returns the registered frozen copy for `id@version` or for an id, whose last registered version counts. */
  get(id: string): Workflow | undefined {
    return this.#workflows.get(id)
  }

  has(id: string): boolean {
    return this.#workflows.has(id)
  }

  /** Returns the ids in the order of registration. A workflow with a version also has `id@version`, after its id. */
  list(): string[] {
    return [...this.#workflows.keys()]
  }

  /**
   * Returns the mistakes that can be proved without a run: see `verifyWorkflow`. Specs are not read. Throws
   * `WorkflowValidationError` `WORKFLOW_NOT_FOUND` for an unknown id (reference workflow 10).
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

/** Creates an empty registry. */
export function createRegistry(options: RegistryOptions = {}): WorkflowRegistry {
  return new WorkflowRegistry(options)
}
