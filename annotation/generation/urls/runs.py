"""Machine writing: runs, what they made, instructions and what it cost."""

from django.urls import path

from annotation.generation.views import candidates, instructions
from annotation.generation.views import costs as machine_costs
from annotation.generation.views import new_run as machine_new
from annotation.generation.views import runs as machine

HERE = "p/<slug:slug>/machine/"
RUN = f"{HERE}runs/<int:n>/"

urlpatterns = [
    path("machine/", machine_costs.machine_all, name="machine_all"),
    path("machine/steps.csv", machine_costs.machine_all_csv, name="machine_all_csv"),
    path(HERE, machine.machine_page, name="machine"),
    path(f"{HERE}runs/new/", machine_new.machine_run_new, name="machine_run_new"),
    path(RUN, machine.machine_run, name="machine_run"),
    path(f"{RUN}steps.csv", machine.machine_run_csv, name="machine_run_csv"),
    path(f"{RUN}do/<slug:act>/", machine.machine_run_act, name="machine_run_act"),
    path(f"{RUN}cancel/", machine.machine_run_cancel, name="machine_run_cancel"),
    path(f"{RUN}questions/", candidates.candidates, name="candidates"),
    path(f"{RUN}questions/<int:candidate_id>/", candidates.candidate, name="candidate"),
    path(f"{HERE}instructions/", instructions.instructions, name="instructions"),
    path(f"{HERE}instructions/<slug:name>/", instructions.instruction, name="instruction"),
    path(f"{HERE}cost/", machine_costs.machine_cost, name="machine_cost"),
    path(f"{HERE}cost/<slug:table>.csv", machine_costs.machine_cost_csv, name="machine_cost_csv"),
]
