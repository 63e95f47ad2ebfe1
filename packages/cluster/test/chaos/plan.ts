/** The steps of a run: one by its name, several one after the other, or strands beside each other. */
export type Plan = string | readonly Plan[] | { readonly beside: readonly Plan[] }

/** Returns all steps of a plan. */
export function stepsOf(plan: Plan): readonly string[] {
  if (typeof plan === 'string') return [plan]
  return ('beside' in plan ? plan.beside : plan).flatMap(stepsOf)
}

/** Returns each pair of steps of which the first ends before the second begins. */
export function pairsOf(plan: Plan): readonly (readonly [before: string, after: string])[] {
  if (typeof plan === 'string') return []
  if ('beside' in plan) return plan.beside.flatMap(pairsOf)
  const between = plan.flatMap((part, i) => {
    const next = plan[i + 1]
    return next === undefined ? [] : stepsOf(part).flatMap((before) => stepsOf(next).map((after) => [before, after] as const))
  })
  return [...between, ...plan.flatMap(pairsOf)]
}
