"""Machine writing: endpoints and budgets, what questions start from, runs, what they made, instructions, cost."""

from django.urls import path

from annotation.generation.views import candidates, costs, endpoints, instructions, materials, new_run, runs

ENDPOINT = "endpoints/<int:endpoint_id>/"
SOURCES = "p/<slug:slug>/materials/"
HERE = "p/<slug:slug>/machine/"
RUN = f"{HERE}runs/<int:n>/"

urlpatterns = [
    path("endpoints/", endpoints.endpoints, name="endpoints"),
    path("endpoints/new/", endpoints.endpoint, name="endpoint_new"),
    path(ENDPOINT, endpoints.endpoint, name="endpoint"),
    path(f"{ENDPOINT}try/", endpoints.endpoint_trial, name="endpoint_try"),
    path(f"{ENDPOINT}ending/", endpoints.endpoint_ending, name="endpoint_ending"),
    path(f"{HERE}limits/", endpoints.machine_limit, name="machine_limit"),
    path(SOURCES, materials.material_list, name="materials"),
    path(f"{SOURCES}concepts/", materials.materials_concepts, name="materials_concepts"),
    path(f"{SOURCES}items/", materials.materials_items, name="materials_items"),
    path(f"{SOURCES}files/", materials.materials_file, name="materials_file"),
    path(f"{SOURCES}files/<int:import_id>/", materials.materials_report, name="materials_report"),
    path("machine/", costs.machine_all, name="machine_all"),
    path("machine/steps.csv", costs.machine_all_csv, name="machine_all_csv"),
    path(HERE, runs.machine_page, name="machine"),
    path(f"{HERE}runs/new/", new_run.machine_run_new, name="machine_run_new"),
    path(RUN, runs.machine_run, name="machine_run"),
    path(f"{RUN}steps.csv", runs.machine_run_csv, name="machine_run_csv"),
    path(f"{RUN}do/<slug:act>/", runs.machine_run_act, name="machine_run_act"),
    path(f"{RUN}cancel/", runs.machine_run_cancel, name="machine_run_cancel"),
    path(f"{RUN}questions/", candidates.candidates, name="candidates"),
    path(f"{RUN}questions/<int:candidate_id>/", candidates.candidate, name="candidate"),
    path(f"{HERE}instructions/", instructions.instructions, name="instructions"),
    path(f"{HERE}instructions/<slug:name>/", instructions.instruction, name="instruction"),
    path(f"{HERE}cost/", costs.machine_cost, name="machine_cost"),
    path(f"{HERE}cost/<slug:table>.csv", costs.machine_cost_csv, name="machine_cost_csv"),
]
