import type { JsonObject, StepContext, Usage } from '../../../kernel/index.ts'
import type { Label } from '../../../policy/label.ts'
import type { NodeContext } from '../contract/handler.ts'
import { carriedLabel, labelOfKey, type LabelStep, markLabel, storedKey, touchedLabel, worstLabel } from './labels.ts'
import type { Token } from './middleware.ts'

/** The parts of a step that a token needs. */
interface TokenStep extends LabelStep {
  readonly x: LabelStep['x'] & Pick<StepContext, 'meter'>
  nodeContext(): NodeContext
  note(type: string, payload: JsonObject): void
}

/** The execution of a step as its chain sees it. */
export class StepToken implements Token {
  readonly context: NodeContext
  readonly #step: TokenStep

  constructor(step: TokenStep) {
    this.#step = step
    this.context = step.nodeContext()
  }

  get used(): Usage {
    const { x } = this.#step
    return x.meter.program(x.frame)
  }

  label(key: string): Label {
    return labelOfKey(this.#step, key)
  }

  worstLabel(): Label {
    return worstLabel(this.#step)
  }

  stored(key: string): string | undefined {
    return storedKey(this.#step, key)
  }

  mark(key: string, label: Label): void {
    markLabel(this.#step, key, label)
  }

  carriedLabel(keys?: readonly string[]): Label | undefined {
    return carriedLabel(this.#step, keys)
  }

  touchedLabel(): Label {
    return touchedLabel(this.#step)
  }

  note(type: string, payload: JsonObject): void {
    this.#step.note(type, { node_id: this.context.node.id, ...payload })
  }
}
