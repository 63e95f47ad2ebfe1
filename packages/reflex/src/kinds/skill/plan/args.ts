import { isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import type { DecisionRecord } from '../model/decision.ts'

/** Who proposes an execution, and what the gate may score it by. */
export interface ProposalFacts {
  readonly carrier: DecisionRecord['proposal']['carrier']
  readonly why?: string
  /** The text of the user in the turn; absent where a program calls. */
  readonly userText?: string
  readonly goalLabels?: readonly string[]
  /** The conversation of a wrapped agent, which keeps its version of a skill. */
  readonly conversation?: string
}

/** The arguments of a frame of a skill. */
export interface SkillArgs {
  readonly inputs: JsonObject
  readonly proposal: ProposalFacts
  /** True if the person who started the run tries a draft out. It counts for the program of the run alone. */
  readonly isDraft: boolean
}

/** Reads the arguments of a frame: inputs by name, and under `_proposal` what a wrapped agent says of itself. No slot begins with `_`. */
export function readArgs(args: Json | undefined): SkillArgs {
  const given: JsonObject = isObject(args) ? args : {}
  const inputs = slotsOf(given)
  const said = isObject(given['_proposal']) ? given['_proposal'] : {}
  const { carrier, why, user_text, goal_labels, conversation } = said
  const isKnown = carrier === 'text' || carrier === 'tool' || carrier === 'manual'
  return {
    inputs,
    isDraft: given['_draft'] === true,
    proposal: {
      carrier: isKnown ? carrier : 'program',
      ...(typeof why === 'string' ? { why } : {}),
      ...(typeof user_text === 'string' ? { userText: user_text } : {}),
      ...(Array.isArray(goal_labels) ? { goalLabels: (goal_labels as readonly Json[]).filter((one) => typeof one === 'string') } : {}),
      ...(typeof conversation === 'string' ? { conversation } : {}),
    },
  }
}

/** Writes the arguments of a frame as `readArgs` reads them. Inputs come from a model: it cannot say what only a person says. */
export function writeArgs({ inputs, proposal }: Omit<SkillArgs, 'isDraft'>): JsonObject {
  const { carrier, why, userText, goalLabels, conversation } = proposal
  return {
    ...slotsOf(inputs),
    _proposal: {
      carrier,
      ...(why === undefined ? {} : { why }),
      ...(userText === undefined ? {} : { user_text: userText }),
      ...(goalLabels === undefined ? {} : { goal_labels: [...goalLabels] }),
      ...(conversation === undefined ? {} : { conversation }),
    },
  }
}

/** Returns the inputs for slots: no slot begins with `_`. */
function slotsOf(inputs: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(inputs).filter(([key]) => !key.startsWith('_')))
}
