import type { z as Zod, ZodType } from 'zod'

/**
 * Returns the schema of what a settings file beside programs says about its folder to skills: the project, the facts that manifests ask for,
 * values of the blackboard, goal labels, and whether records keep contents. Roles, functions and thresholds are the operator's, and so is the
 * word that secrets may be recorded.
 */
export function fileOptions(z: typeof Zod): ZodType {
  const name = z.string().min(1)
  const values = z.record(z.string().regex(/^[a-z0-9_]{1,100}$/), z.json())
  return z
    .strictObject({
      project: name.optional(),
      compat: z.record(name, z.union([name, z.array(name)])).optional(),
      board: z.strictObject({ ctx: values.optional(), env: values.optional() }).optional(),
      goalLabels: z
        .array(z.string().regex(/^[a-z0-9_-]{1,40}$/))
        .max(16)
        .optional(),
      logContent: z.enum(['none', 'redacted']).optional(),
    })
    .describe(
      'What skills are told of this folder: the project and the facts that manifests ask for, values below ctx and env, goal labels, what records keep of contents',
    )
}
