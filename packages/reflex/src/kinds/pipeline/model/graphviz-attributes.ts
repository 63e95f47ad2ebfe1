/** The attributes by which Graphviz draws: known, kept, and nothing to a run. */
const NAMES = `_background area arrowhead arrowsize arrowtail background bb beautify bgcolor center charset cluster clusterrank
color colorscheme comment compound concentrate constraint Damping decorate defaultdist dim dimen dir diredgeconstraints
distortion dpi edgeURL edgehref edgetarget edgetooltip epsilon esep fillcolor fixedsize fontcolor fontname fontnames fontpath
fontsize forcelabels gradientangle group head_lp headURL headclip headhref headlabel headport headtarget headtooltip height
href id image imagepath imagepos imagescale inputscale K labelURL labelangle labeldistance labelfloat labelfontcolor
labelfontname labelfontsize labelhref labeljust labelloc labeltarget labeltooltip landscape layer layerlistsep layers
layerselect layersep layout len levels levelsgap lhead lheight linelength lp ltail lwidth margin maxiter mclimit mindist minlen
model mosek name newrank nodesep nojustify normalize notranslate nslimit nslimit1 oneblock ordering orientation
outputorder overlap overlap_scaling overlap_shrink pack packmode pad page pagedir pencolor penwidth peripheries pin pos
quadtree quantum radius rank rankdir ranksep ratio rects regular remincross repulsiveforce resolution root rotate rotation
samehead sametail samplepoints scale searchsize sep shape shapefile showboxes sides size skew smoothing sortv splines start style
stylesheet tail_lp tailURL tailclip tailhref taillabel tailport tailtarget tailtooltip target TBbalance tooltip truecolor URL
vertices viewport voro_margin weight width xdotversion xlabel xlp z`

export const GRAPHVIZ_ATTRIBUTES: ReadonlySet<string> = new Set(NAMES.split(/\s+/))
