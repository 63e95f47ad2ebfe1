import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type FaultData, isObject, type Json, type JsonObject, type OpenRun, type Rec } from '../../../../src/kernel/index.ts'
import { remarksOf } from '../../../../src/kinds/pipeline/engine/story.ts'
import type { Sign, Told } from './attack.ts'
import type { Ground } from './ground.ts'

/** What came of an attack. */
export interface Came {
  readonly status: string
  readonly fault: Partial<FaultData>
  readonly remarks: readonly (readonly [type: string, payload: JsonObject])[]
  readonly context: JsonObject
  /** Every record, as it is kept. */
  readonly records: string
  /** What the model was asked, each time. */
  readonly prompts: readonly string[]
}

/** Listens to a run from its first record. */
export class Listener {
  readonly #records: Rec[] = []

  follow(run: OpenRun): void {
    run.observe(({ record }) => void this.#records.push(record))
  }

  came(run: OpenRun, prompts: readonly string[]): Came {
    const { ended, root, start } = run.state
    const fault = ended?.status === 'failed' && isObject(ended.value) ? (ended.value as unknown as FaultData) : {}
    return {
      status: ended?.status ?? run.status,
      fault,
      remarks: this.#records.flatMap(({ input, more }) => [
        ...remarksOf(more?.note),
        ...(input?.[0] === 'pause' ? [['pause', { asker: input[2] }] as const] : []),
      ]),
      context: root.reader().snapshot(),
      records: JSON.stringify([start, this.#records]),
      prompts,
    }
  }
}

/** A run that did not begin. */
export function refused(fault: FaultData): Came {
  return { status: 'refused', fault, remarks: [], context: {}, records: '', prompts: [] }
}

/** Whether an attack has succeeded. */
export async function shows(sign: Sign, came: Came, { root, asked }: Ground): Promise<boolean> {
  const { file, holds, after = 0, reached, told, recorded, value, executed, ended } = sign
  if (after > 0) await new Promise((done) => setTimeout(done, after))
  if (file !== undefined) {
    const path = join(root, file)
    return existsSync(path) && (holds === undefined || readFileSync(path, 'utf8').includes(holds))
  }
  if (reached !== undefined) return asked.includes(reached)
  if (told !== undefined) return came.prompts.some((prompt) => prompt.includes(told))
  if (recorded !== undefined) return came.records.includes(recorded)
  if (value !== undefined) return textOf(came.context[value.key]).includes(value.holds)
  if (executed !== undefined) return came.remarks.some(([type, { node_id }]) => type === 'stage_completed' && node_id === executed)
  if (ended !== undefined) return came.status === ended
  throw new TypeError('the attack has no sign')
}

/** What of the refusal is not told as the attack states; nothing if all of it is. */
export function untold({ status, code, says, remark }: Told, came: Came): string | undefined {
  if (came.status !== status) return `${came.status}, not ${status}: ${came.fault.code ?? ''} ${came.fault.message ?? ''}`
  if (code !== undefined && came.fault.code !== code) return `${came.fault.code ?? 'no code'}, not ${code}: ${came.fault.message ?? ''}`
  if (remark !== undefined) {
    const said = came.remarks.filter(([type]) => type === remark).map(([, payload]) => JSON.stringify(payload))
    return said.some((one) => one.includes(says)) ? undefined : `${remark} says ${said.join(', ') || 'nothing'}`
  }
  const everything = `${came.fault.message ?? ''} ${JSON.stringify(came.context)} ${came.prompts.join('\n')}`
  return everything.includes(says)
    ? undefined
    : `nothing says ${says}: ${came.fault.message ?? ''} ${JSON.stringify(came.remarks.slice(-6))}`
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
