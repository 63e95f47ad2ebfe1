import type { PrimitiveKind } from '../model/manifest.ts'
import type { faults } from './faults.ts'

/**
 * The rules of manifests (reference 3.6): the subject of each rule, its id for each kind that has it, and its code. A kind without an id
 * for a subject has no such rule. `own`: a rule of ours, which the reference does not number.
 */
export const RULES = {
  id: rule('R1341', 'SRC-1', 'CMP-1', 'TRG-1', 'ACT-1'),
  version: rule('R1341', 'SRC-2', 'CMP-2', 'TRG-2', 'ACT-2'),
  kind: rule('R1341', 'SRC-3', 'CMP-3', 'TRG-3', 'ACT-3'),
  inputCount: rule('R1342', 'SRC-4', 'CMP-4', 'TRG-4', 'ACT-4'),
  inputNames: rule('R1342', undefined, 'CMP-5', 'TRG-5', 'ACT-5'),
  inputTypes: rule('R1342', undefined, 'CMP-13', 'TRG-6', 'ACT-6'),
  cardinality: rule('R1342', undefined, 'CMP-14', 'TRG-12', 'own'),
  outputCount: rule('R1342', 'SRC-5', 'CMP-6', 'TRG-7', 'ACT-7'),
  outputNames: rule('R1342', 'SRC-6', 'CMP-7', undefined, 'ACT-8'),
  outputTypes: rule('R1342', 'SRC-7', 'CMP-20', 'TRG-8', 'ACT-9'),
  state: rule('R1343', 'SRC-8', 'CMP-9', 'TRG-9', 'ACT-10'),
  sideEffects: rule('R1343', 'SRC-9', 'CMP-8', 'TRG-10', 'ACT-11'),
  deterministic: rule('R1343', 'SRC-12', 'CMP-17', 'TRG-11', 'ACT-17'),
  cadence: rule('R1343', 'SRC-13', 'CMP-16', undefined, undefined),
  errors: rule('R1343', undefined, 'CMP-10', undefined, undefined),
  retryable: rule('R1343', undefined, undefined, undefined, 'ACT-16'),
  parameterNames: rule('R1344', 'own', 'own', 'own', 'own'),
  parameterTypes: rule('R1344', undefined, 'CMP-15', undefined, undefined),
  enumValues: rule('R1344', 'own', undefined, 'own', 'own'),
  defaults: rule('R1344', 'SRC-15', 'CMP-19', 'TRG-14', 'ACT-19'),
  keyParameter: rule('R1345', 'SRC-16', undefined, undefined, 'ACT-20'),
  keyParameterType: rule('R1345', 'SRC-17', undefined, undefined, 'ACT-21'),
  writeNames: rule('R1346', undefined, undefined, undefined, 'ACT-14'),
  writeTypes: rule('R1346', undefined, undefined, undefined, 'ACT-15'),
  writeInput: rule('R1346', undefined, undefined, undefined, 'ACT-22'),
  writeInputType: rule('R1346', undefined, undefined, undefined, 'ACT-23'),
  intentNames: rule('R1346', undefined, undefined, undefined, 'ACT-24'),
  fieldNames: rule('R1346', undefined, undefined, undefined, 'ACT-25'),
  fieldOrigin: rule('R1346', undefined, undefined, undefined, 'ACT-26'),
  fieldOneOrigin: rule('R1346', undefined, undefined, undefined, 'ACT-27'),
  fieldInput: rule('R1346', undefined, undefined, undefined, 'ACT-28'),
  fieldInputType: rule('R1346', undefined, undefined, undefined, 'ACT-29'),
  fieldParameter: rule('R1346', undefined, undefined, undefined, 'ACT-30'),
  fieldParameterType: rule('R1346', undefined, undefined, undefined, 'ACT-31'),
  mirrorField: rule('R1346', undefined, undefined, undefined, 'ACT-32'),
  mirrorFieldType: rule('R1346', undefined, undefined, undefined, 'ACT-33'),
  originRequired: rule('R1346', undefined, undefined, undefined, 'own'),
  reservedIntent: rule('R1346', undefined, undefined, undefined, 'own'),
  misplacedBlock: rule('R1343', 'own', 'own', 'own', 'own'),
} satisfies Record<string, RuleRow>

export type RuleSubject = keyof typeof RULES

type RuleId = `${'SRC' | 'CMP' | 'TRG' | 'ACT'}-${number}` | 'own'

interface RuleRow {
  readonly code: keyof typeof faults.entries
  readonly ids: Readonly<Record<PrimitiveKind, RuleId | undefined>>
}

function rule(code: RuleRow['code'], source?: RuleId, compute?: RuleId, trigger?: RuleId, action?: RuleId): RuleRow {
  return { code, ids: { source, compute, trigger, action } }
}
