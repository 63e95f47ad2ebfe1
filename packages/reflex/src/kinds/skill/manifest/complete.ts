import type { JsonObject } from '../../../kernel/index.ts'
import { type Manifest, type PlanStep, SCORE_FEATURES, type SlotExtractor } from '../model/manifest.ts'
import { NOTE } from './decode.ts'

/** The default time limit of a step in milliseconds. */
const STEP_TIMEOUT = 30_000

/** The fields of a manifest as decoded: those with a default that depends on other fields can be absent. */
type Decoded = Omit<Manifest, 'title' | 'plan' | 'activation' | 'llm_support' | 'extra'> & {
  readonly title?: string
  readonly plan: Omit<Manifest['plan'], 'steps' | 'verify'> & { readonly steps: readonly DecodedStep[]; readonly verify?: DecodedStep }
  readonly activation: Omit<Manifest['activation'], 'required_slots' | 'score_weights'> & {
    readonly required_slots?: readonly string[]
    readonly score_weights: Readonly<Partial<Manifest['activation']['score_weights']>>
  }
  readonly llm_support: { readonly parsers: Manifest['llm_support']['parsers']; readonly extractors: readonly FlatExtractor[] }
}
type DecodedStep = Omit<PlanStep, 'id' | 'timeout_ms'> & Partial<Pick<PlanStep, 'id' | 'timeout_ms'>>

/** An extractor of slots as the file has it. */
interface FlatExtractor {
  readonly slot: string
  readonly from: string
  readonly regex?: string
  readonly group?: number
  readonly enum?: readonly string[]
  readonly json_pointer?: string
}

/** Returns a manifest with the defaults that depend on other fields, and with the notes at its top level. */
export function completeManifest(fields: JsonObject, given: JsonObject): Manifest {
  const { $schema: _, ...rest } = fields
  const decoded = rest as unknown as Decoded
  const inputs = decoded.signature.inputs.map((slot) => (slot.type === 'secret_ref' ? { ...slot, sensitive: true } : slot))
  const outputs = decoded.signature.outputs.map((output) => (output.type === 'secret_ref' ? { ...output, sensitive: true } : output))
  const signature = { ...decoded.signature, inputs, outputs }
  const limit = Math.min(STEP_TIMEOUT, decoded.plan.budget.max_latency_ms)
  const { steps, verify, ...plan } = decoded.plan
  const weights = decoded.activation.score_weights
  const extractors = decoded.llm_support.extractors.map(slotExtractor)
  return {
    ...decoded,
    title: decoded.title ?? decoded.id.replaceAll('.', ' ').slice(0, 80),
    signature,
    plan: {
      ...plan,
      steps: steps.map((step, index) => completeStep(step, `s${index}`, limit)),
      ...(verify === undefined ? {} : { verify: completeStep(verify, 'verify', limit) }),
    },
    activation: {
      ...decoded.activation,
      score_weights: Object.fromEntries(
        SCORE_FEATURES.map((feature) => [feature, weights[feature] ?? 0]),
      ) as Manifest['activation']['score_weights'],
      required_slots: requiredSlots({ signature, extractors }, decoded.activation.required_slots),
    },
    llm_support: { parsers: decoded.llm_support.parsers, extractors },
    extra: Object.fromEntries(Object.entries(given).filter(([key]) => key.startsWith(NOTE))),
  }
}

function completeStep(step: DecodedStep, id: string, limit: number): PlanStep {
  return { ...step, id: step.id ?? id, timeout_ms: step.timeout_ms ?? limit }
}

/** Returns the slots without which the skill does not run: those that nothing but a caller can fill are always among them. */
function requiredSlots(
  { signature, extractors }: { readonly signature: Manifest['signature']; readonly extractors: readonly SlotExtractor[] },
  given: readonly string[] | undefined,
): readonly string[] {
  const required = signature.inputs.filter((slot) => slot.required).map(({ name }) => name)
  const { inputs: bindings } = signature.blackboard_bindings
  const always = required.filter((name) => !Object.hasOwn(bindings, name) && !extractors.some(({ slot }) => slot === name))
  return [...new Set([...(given ?? required), ...always])]
}

function slotExtractor({ slot, from, regex, group, enum: words, json_pointer: pointer }: FlatExtractor): SlotExtractor {
  const take: SlotExtractor['take'] =
    regex !== undefined
      ? { regex, ...(group === undefined ? {} : { group }) }
      : words !== undefined
        ? { enum: words }
        : { json_pointer: pointer ?? '' }
  return { slot, from, take }
}
